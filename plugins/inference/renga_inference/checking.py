"""Checks whether a frozen model computes the same as the model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from renga_core.errors import RengaError
from renga_inference.frozen import FrozenModel
from renga_inference.program import Host, Step
from renga_inference.recording import Run

__all__ = ["check"]


def check(frozen: FrozenModel, run: Run, again: Callable[[], Run]) -> None:
    """Compare the results of a frozen model with those of the model.

    Args:
        frozen: The frozen model.
        run: A run of the model.
        again: A second, equal run, with all arrays.

    Raises:
        RengaError: An array differs by more than the tolerance.
    """
    arguments, tolerance = len(frozen.program.inputs), frozen.tolerance
    found = frozen._run(run.arrays[:arguments])
    if all(_apart(array, run.arrays[number]) <= tolerance for number, array in found.items()):
        return
    right = again()

    def see(step: Step, results: list[Host]) -> None:
        for number, array in zip(step.outputs, results, strict=True):
            apart = _apart(array, right.arrays[number])
            if not apart <= tolerance:
                raise RengaError(_different(f"{step.name} is the first step that differs", apart, tolerance))

    frozen._run(right.arrays[:arguments], see)
    worst = max(_apart(array, run.arrays[number]) for number, array in found.items())
    raise RengaError(_different("a result differs from run to run", worst, tolerance))


def _different(what: str, apart: float, tolerance: float) -> str:
    return (
        f"the results of the frozen model differ from the model's: {what}, by {apart:.2g} of its largest value; "
        f"{tolerance:.2g} is allowed.\nNext: if the model draws random numbers in test mode, call the model itself; "
        "if the difference is rounding, give a larger tolerance: renga.inference(model, example, tolerance=…)."
    )


def _apart(found: Host, expected: Host) -> float:
    """Largest difference divided by the largest magnitude; infinity if NaN or infinity are in different places."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return np.inf
    if expected.dtype.kind not in "fc":
        return 0.0 if np.array_equal(found, expected) else np.inf
    if not expected.size:
        return 0.0
    finite = np.isfinite(expected)
    if finite.all():
        with np.errstate(invalid="ignore"):
            return float(np.abs(found - expected).max() / (np.abs(expected).max() or 1.0))
    if not np.array_equal(found[~finite], expected[~finite], equal_nan=True):
        return np.inf
    return _apart(found[finite], expected[finite])
