"""One way to compute an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Implementation", "serves_all"]


def serves_all(*args: Any) -> bool:
    """Supports any arguments."""
    return True


class Implementation(NamedTuple):
    """One way to compute an operation.

    Forward and backward belong together, because only they know what forward keeps for backward.

    Attributes:
        name: ``reference``, or the full name of the kernel.
        forward: Called with the operation's arguments; returns the result, and what backward needs.
        backward: Called with what forward kept and the gradients; None if the operation has no backward.
        supports: Called with forward's arguments; returns whether this implementation can handle them.
    """

    name: str
    forward: Callable[..., Any]
    backward: Callable[..., Any] | None = None
    supports: Callable[..., bool] = serves_all
