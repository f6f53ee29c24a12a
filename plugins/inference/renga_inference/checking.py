"""Whether a frozen model computes what the model did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from renga_core.errors import RengaError
from renga_inference.frozen import FrozenModel
from renga_inference.program import Host, Step
from renga_inference.recording import Run

__all__ = ["Check"]


@dataclass(frozen=True)
class Check:
    """Compares, array by array, with a run of the model.

    Args:
        frozen: The frozen model.
        run: What the model did.
        arguments: How many arguments it has.
    """

    frozen: FrozenModel
    run: Run
    arguments: int

    def __call__(self) -> None:
        """Compute with the arguments of the run.

        Raises:
            RengaError: An array differs by more than the tolerance.
        """
        self.frozen._run(self.run.arrays[: self.arguments], self._see)

    def _see(self, step: Step, results: list[Host]) -> None:
        for number, found in zip(step.outputs, results, strict=True):
            expected = self.run.arrays[number]
            apart = _apart(found, expected)
            if not apart <= self.frozen.tolerance:
                raise RengaError(
                    f"the frozen model does not compute what the model does: {step.name} is the first step that "
                    f"differs, by {apart:.2g} of its largest value; {self.frozen.tolerance:.2g} is allowed.\n"
                    "Next: if the model draws random numbers in test mode, call the model itself; if the difference "
                    "is rounding, give a larger tolerance: renga.inference(model, example, tolerance=…)."
                )


def _apart(found: Host, expected: Host) -> float:
    """The largest difference, divided by the largest magnitude; infinity where NaN or infinity are in other places."""
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
