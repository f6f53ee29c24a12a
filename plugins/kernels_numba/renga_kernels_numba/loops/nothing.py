"""A loop that shows whether compiling works, and what a call costs."""

from renga_kernels_numba.loops.intrinsics import loop

__all__ = ["nothing"]


@loop
def nothing(piece: int, argument: int) -> None:
    """Does nothing."""
