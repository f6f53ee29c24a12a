"""What a service bears."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """What one client can ask for, and all together.

    Attributes:
        request_bytes: The largest body of a request.
        request_examples: The most examples in a request: rows of a table, images.
        waiting: The most requests that are read or wait to be computed; others are told to come again.
        seconds: How long a body may take to arrive, and how long a request may wait to be computed.
        batch: The most examples that are computed together.
        gather: Seconds that the first example of a batch waits for others.
    """

    request_bytes: int = 16 * 2**20
    request_examples: int = 1000
    waiting: int = 256
    seconds: float = 30.0
    batch: int = 32
    gather: float = 0.002
