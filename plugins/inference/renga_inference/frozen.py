"""Frozen models, for users to call, save and load."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_core.graph import Variable, as_array
from renga_inference.engine import new_engine
from renga_inference.pieces import work_of
from renga_inference.plan import Plan
from renga_inference.program import Host, Place, Program, Step
from renga_inference.sizes import Size, value_at

__all__ = ["FrozenModel"]

PLANS = 8
"""Number of batch sizes with cached plans; beyond it, the least recently used plans are deleted."""


class FrozenModel:
    """Computes a model in test mode. Create it with `renga.inference`.

    Call it with NumPy arrays (or Variables) that have the shapes and dtypes of the example; only the batch size may
    differ. It returns NumPy arrays, in the structure of the model's result. Later changes of the model have no effect.
    Several threads may call it; their calls run one after another.

    Attributes:
        program: The program.
        tolerance: Relative difference from the model that was allowed when it was created.
    """

    def __init__(self, program: Program, tolerance: float) -> None:
        self.program, self.tolerance = program, tolerance
        self._work = work_of(program)
        self._lock = threading.Lock()
        self._fitting: tuple[list[Any], int] = [], 0  # shapes and dtypes of the last arguments, and their batch size
        self._forget()

    def __call__(self, *arguments: Any) -> Any:
        """Compute the model.

        Raises:
            RengaError: The number, a dtype, or a shape of the arguments differs from the example.
        """
        arrays = [as_array(x) if isinstance(x, Variable) else np.asarray(x) for x in arguments]
        return _filled(self.program.result, self._run(arrays))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; `renga.load_inference` reads it without the class of the model.

        Raises:
            RengaError: A function holds a value that cannot be written.
            OSError: The file cannot be written.
        """
        from renga_inference.storing import save

        save(self, path)

    def __repr__(self) -> str:
        given = ", ".join(str(self.program.specs[number]) for number in self.program.inputs)
        return f"<{type(self).__name__} of {given}: {len(self.program.steps)} steps>"

    def describe(self) -> str:
        """Describe each step and its implementation, for the batch size of the example."""
        batch = self.program.batch
        with self._lock:
            self._current()
            piece = self._piece(batch)
            plans = self._plans_of(piece or batch, alone=bool(piece))
        sizes = f"batches of {batch} only: {self.program.fixed}" if self.program.fixed else "batches of any size"
        pieces = f"; computed {piece} at a time by each of {len(plans)} threads" if piece else ""
        memory = sum(plan.bytes for plan in plans)
        return "\n".join([f"{sizes}{pieces}; memory for arrays: {memory:,} bytes", *plans[0].describe()])

    def forget(self) -> None:
        """Free the memory for arrays of all batch sizes; the next call allocates it again."""
        with self._lock:
            self._plans.clear()

    def _run(self, arrays: Sequence[Host], see: Callable[[Step, list[Host]], None] | None = None) -> dict[int, Host]:
        looks, fitting = [(x.shape, x.dtype) for x in arrays], self._fitting
        if looks != fitting[0]:
            fitting = self._fitting = looks, self._batch(arrays)
        batch = fitting[1]
        with self._lock:
            self._current()
            piece = self._piece(batch)
            if piece and see is None:
                found = self._in_pieces(arrays, batch, piece)
            else:
                (plan,) = self._plans_of(batch)
                found = plan(arrays, see)
        return dict(zip(self.program.outputs, found, strict=True))

    def _piece(self, batch: int) -> int:
        """Number of examples that a thread computes at once; 0 if the batch is not divided."""
        return self._work.piece(batch, self._engine.threads) if self._work else 0

    def _in_pieces(self, arrays: Sequence[Host], batch: int, size: int) -> list[Host]:
        """Let each thread compute some examples at a time; all threads together compute the rest."""
        together = batch - batch % (size * self._engine.threads)
        plans = self._plans_of(size, alone=True).copy()
        found: dict[int, list[Host]] = {}

        def compute(pieces: Iterator[int]) -> None:
            plan = plans.pop()
            for begin in pieces:
                found[begin] = plan(self._examples(arrays, begin, begin + size))

        self._engine.share(compute, range(0, together, size))
        if together < batch:
            (plan,) = self._plans_of(batch - together)
            found[together] = plan(self._examples(arrays, together, batch))
        return [np.concatenate(parts) for parts in zip(*[found[begin] for begin in sorted(found)], strict=True)]

    def _examples(self, arrays: Sequence[Host], begin: int, end: int) -> list[Host]:
        firsts = [self.program.specs[number].shape[0] for number in self.program.inputs]
        return [x[value_at(n, begin) : value_at(n, end)] for x, n in zip(arrays, firsts, strict=True)]

    def _plans_of(self, batch: int, alone: bool = False) -> list[Plan]:
        """Return the plan for a size; for sizes that one thread computes `alone`, one plan per thread."""
        plans = self._plans.get((batch, alone))
        if plans is None:
            with self._engine.alone() if alone else nullcontext():
                plan = Plan(self.program, batch, self._engine)
            plans = [plan, *[plan.twin() for _ in range(self._engine.threads - 1 if alone else 0)]]
            self._plans[batch, alone] = plans
            if len(self._plans) > PLANS:
                self._plans.popitem(last=False)
        self._plans.move_to_end((batch, alone))
        return plans

    def _current(self) -> None:
        if self._process != os.getpid():  # threads and their plans do not survive a fork
            self._forget()

    def _forget(self) -> None:
        self._plans: OrderedDict[tuple[int, bool], list[Plan]] = OrderedDict()
        self._engine = new_engine()
        self._process = os.getpid()

    def _batch(self, arrays: Sequence[Host]) -> int:
        """Return the batch size; raise an error if the arguments do not fit."""
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
                why = f" ({program.fixed})" if program.fixed else ""
                raise RengaError(
                    f"argument {place} is {array.dtype} {array.shape}; the frozen model takes {spec}{why}."
                    "\nNext: change the argument, or freeze the model again with such an example: "
                    "renga.inference(model, example)."
                )
        if batch < 1:
            raise RengaError("the batch is empty.\nNext: give at least one example.")
        return batch

    def __getstate__(self) -> dict[str, Any]:
        """Copies and other processes get the program, and create their own plans."""
        return {"program": self.program, "tolerance": self.tolerance}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # made as a new one is


def _filled(result: Any, arrays: Mapping[int, Host]) -> Any:
    """Return the result of a program, with its arrays.

    Not a nested function: that would refer to itself, and so keep the arrays until the garbage collector runs.
    """
    if isinstance(result, Place):
        return arrays[result.value]
    if isinstance(result, dict):
        return {key: _filled(each, arrays) for key, each in result.items()}
    return type(result)([_filled(each, arrays) for each in result])
