"""A frozen model: what users call, save and load."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_core.graph import Variable, as_array
from renga_inference.engine import new_engine
from renga_inference.plan import Plan
from renga_inference.program import Host, Place, Program, Step
from renga_inference.sizes import Size

__all__ = ["FrozenModel"]

PLANS = 8
"""Sizes of the batch for which a plan is kept; of more, those not used for longest are made again when needed."""


class FrozenModel:
    """Computes what a model does in test mode; `renga.inference` makes it.

    Call it with NumPy arrays (or Variables) of the shapes and dtypes of the example; only the first axis of a batch may
    have another size. It returns NumPy arrays, in the structure in which the model returns Variables. What happens to
    the model afterwards changes nothing here. Several threads may call it; they compute one after another.

    Attributes:
        program: What is computed.
        tolerance: How far, relatively, an array was allowed to be from the model's when this was made.
    """

    def __init__(self, program: Program, tolerance: float) -> None:
        self.program, self.tolerance = program, tolerance
        self._lock = threading.Lock()
        self._forget()

    def __call__(self, *arguments: Any) -> Any:
        """Compute.

        Raises:
            RengaError: Other arguments than those of the example: their number, a dtype, or a shape.
        """
        arrays = [as_array(x) if isinstance(x, Variable) else np.asarray(x) for x in arguments]
        return self._structured(self._run(arrays))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, which `renga.load_inference` reads without the class of the model.

        Raises:
            RengaError: A function holds something that cannot be written.
            OSError: The file cannot be written.
        """
        from renga_inference.storing import save

        save(self, path)

    def describe(self) -> str:
        """What is computed and by whom: a line for each step, for the size of the batch in the example."""
        with self._lock:
            plan = self._plan(self.program.batch)
        batch = "batches of any size"
        if self.program.fixed:
            batch = f"batches of {self.program.batch} only: {self.program.fixed}"
        return "\n".join([f"{batch}; memory for arrays: {plan.bytes:,} bytes", *plan.describe()])

    def _run(self, arrays: Sequence[Host], see: Callable[[Step, list[Host]], None] | None = None) -> dict[int, Host]:
        batch = self._batch(arrays)
        with self._lock:
            found = self._plan(batch)(arrays, see)
        return dict(zip(self.program.outputs, found, strict=True))

    def _plan(self, batch: int) -> Plan:
        if self._process != os.getpid():  # threads and what was made for them do not survive a fork
            self._forget()
        plan = self._plans.get(batch)
        if plan is None:
            plan = self._plans[batch] = Plan(self.program, batch, self._engine)
            if len(self._plans) > PLANS:
                self._plans.popitem(last=False)
        self._plans.move_to_end(batch)
        return plan

    def _forget(self) -> None:
        self._plans: OrderedDict[int, Plan] = OrderedDict()
        self._engine = new_engine()
        self._process = os.getpid()

    def _batch(self, arrays: Sequence[Host]) -> int:
        """The size of the batch, if the arguments fit."""
        program = self.program
        if len(arrays) != len(program.inputs):
            raise RengaError(f"the frozen model takes {len(program.inputs)} argument(s); given: {len(arrays)}")
        batch = program.batch
        specs = [program.specs[number] for number in program.inputs]
        for array, spec in zip(arrays, specs, strict=True):
            if spec.shape and isinstance(spec.shape[0], Size) and array.ndim:
                batch = array.shape[0]
                break
        for place, (array, spec) in enumerate(zip(arrays, specs, strict=True)):
            if array.shape != spec.at(batch) or array.dtype != spec.dtype:
                sizes = ", ".join("N" if isinstance(size, Size) else str(size) for size in spec.shape)
                why = f" ({program.fixed})" if program.fixed else ""
                raise RengaError(
                    f"argument {place} is {array.dtype} {array.shape}; the frozen model takes {spec.dtype} ({sizes})"
                    f"{why}.\nNext: give it so, or freeze the model anew with an example of that shape: "
                    "renga.inference(model, example)."
                )
        if batch < 1:
            raise RengaError("the batch is empty.\nNext: give at least one example.")
        return batch

    def _structured(self, arrays: dict[int, Host]) -> Any:
        def filled(part: Any) -> Any:
            if isinstance(part, Place):
                return arrays[part.value]
            if isinstance(part, dict):
                return {key: filled(each) for key, each in part.items()}
            return type(part)([filled(each) for each in part])

        return filled(self.program.result)

    def __getstate__(self) -> dict[str, Any]:
        """Copies and processes get the program, and make plans of their own."""
        return {"program": self.program, "tolerance": self.tolerance}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # made as a new one is
