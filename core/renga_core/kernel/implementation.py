"""One way to compute an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Implementation", "serves_all"]


def serves_all(*args: Any) -> bool:
    """Any arguments can be served."""
    return True


class Implementation(NamedTuple):
    """One way to compute an operation.

    Forward and backward belong together, because what forward keeps for backward is a matter between the two.

    Attributes:
        name: ``reference``, or the full name of the kernel.
        forward: Called with the operation's arguments; returns the result and what backward will need.
        backward: Called with what forward kept and the gradients; None where the operation has no backward of its own.
        supports: Called with forward's arguments; whether this implementation can serve them.
    """

    name: str
    forward: Callable[..., Any]
    backward: Callable[..., Any] | None = None
    supports: Callable[..., bool] = serves_all
