"""The compiler ``fused``: a step that is recorded, compiled and replayed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_compile.fused.program import fuse
from renga_compile.replay.program import Program
from renga_compile.replay.step import ReplayedStep

__all__ = ["FusedStep"]


class FusedStep(ReplayedStep):
    """A step whose arithmetic on arrays is compiled by numba; everything else is as in `ReplayedStep`.

    From the fourth call on, consecutive elementwise operations, broadcasts, views and sums of float32 and float64,
    forward and backward, are one compiled function, if it takes less time than the calls that it replaces. ``source``
    shows its calls: ``fused_0(…)``. Threads share loops over large arrays; the bits do not depend on their number.

    Compiling takes from half a second to some seconds, in the third call, and is logged. Machine code is kept on disk;
    see `renga_compile.fused.compiling`.

    *Results.* Arithmetic, square roots and comparisons equal NumPy's bit by bit, including NaN. Sums are computed in
    double precision, always in the same order, and rounded once. In float32, exp and log differ from the exact
    value by 1 unit in the last place, tanh by 2, sigmoid by 3.

    If numba is missing or cannot compile the step, it is replayed without compiled functions; `explain` gives the
    reason.

    Args:
        step: The function, or a Link.

    Attributes:
        step: As given.
    """

    def _build(self, program: Program) -> tuple[Callable[[], Any], str]:
        """Return a function that replays a recorded program with compiled functions, and its description."""
        try:
            from renga_compile.fused.kernel import kernel_of

            lines, namespace = fuse(program, kernel_of)
        except Exception as error:  # any error of numba or LLVM
            return program.build(), f"replayed, but not fused: {_reason(error)}"
        count = sum(name.startswith("fused_") for name in namespace)
        if not count:
            return program.build(), "replayed, but not fused: no operations on its arrays would be faster"
        return program.build(lines, namespace), f"fused: replayed, with {count} compiled function{'s' * (count != 1)}"


def _reason(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} is not installed. Next: pip install 'renga[numba]'"
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
