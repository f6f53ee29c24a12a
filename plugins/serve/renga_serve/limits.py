"""Limits of a service."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits for each request and for all together.

    Attributes:
        request_bytes: Largest body of a request, in bytes.
        request_examples: Most examples per request: table rows or images.
        waiting: Most requests that are being read or computed. The service refuses further ones with status 503.
        seconds: Time in which a body must arrive, and in which a request must be computed.
        batch: Most examples per batch.
        gather: Time in seconds that the first example of a batch waits for others.
    """

    request_bytes: int = 16 * 2**20
    request_examples: int = 1000
    waiting: int = 256
    seconds: float = 30.0
    batch: int = 32
    gather: float = 0.002
