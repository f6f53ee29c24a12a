"""Functions without a converter: the array operations in their `forward` are exported one by one.

So a user's function needs no converter if `forward` uses only the operations in `exporting.numpy_calls`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from renga_core.graph import FunctionNode
from renga_onnx.converters.without import WITHOUT
from renga_onnx.exporting.arrays import Drawn, Host, Recorded, noting
from renga_onnx.exporting.call import Call
from renga_onnx.exporting.recording import Applied

__all__ = ["NotWrittenError", "by_forward"]

Steps = tuple[list[Recorded], list[Applied], tuple[Recorded, ...]]


class NotWrittenError(Exception):
    """Reason why a function cannot be exported operation by operation."""


def by_forward(
    run: Applied, twin: Applied, table: Mapping[type[FunctionNode], Callable[[Call], None]]
) -> Callable[[Call], None]:
    """Return a converter that exports the operations of `forward`.

    Args:
        run, twin: The function in both runs.
        table: Converters of the operations.

    Raises:
        NotWrittenError: An operation cannot be exported.
    """
    (xs, steps, ys), (_, others, _) = _steps(run, table), _steps(twin, table)
    if [type(a.function) for a in steps] != [type(b.function) for b in others]:
        raise NotWrittenError("its forward runs other operations for other sizes of named axes")

    def convert(call: Call) -> None:
        for name, x in zip(call.inputs, xs, strict=True):
            call.context.set_name(x, name)
        for a, b in zip(steps, others, strict=True):
            step = replace(call, run=a, twin=b, probe=None, inputs=[], outputs=[])
            step.inputs.extend(step.array(x, y) for x, y in zip(a.inputs, b.inputs, strict=True))
            for y in a.outputs:
                step.outputs.append(call.context.fresh(f"{type(a.function).__name__}_out"))
                call.context.set_name(y, step.outputs[-1])
            table[type(a.function)](step)
        for y, output in zip(ys, call.outputs, strict=True):
            call.op("Identity", [call.context.get_name(y)], [output])

    return convert


def _steps(applied: Applied, table: Mapping[type[FunctionNode], Callable[[Call], None]]) -> Steps:
    """Return the inputs, operations and outputs of `forward`."""
    cls = type(applied.function)
    if reason := WITHOUT.get(f"{cls.__module__}:{cls.__qualname__}"):
        raise NotWrittenError(reason)
    if hasattr(applied.function, "onnx_name"):  # several functions that become one node
        raise NotWrittenError("")
    if not all(isinstance(x, np.ndarray) for x in (*applied.inputs, *applied.outputs)):
        raise NotWrittenError("its arrays do not belong to NumPy")
    steps: list[Applied] = []
    xs = [x.view(Recorded) for x in applied.inputs]
    function = copy.copy(applied.function)
    held = [x for value in vars(function).values() for x in (value if isinstance(value, (tuple, list)) else [value])]

    def note(function: FunctionNode, inputs: tuple[Host, ...], outputs: tuple[Host, ...]) -> None:
        steps.append(Applied(function, inputs, outputs, applied.where))

    try:
        with noting(note, [*xs, *[x for x in held if isinstance(x, np.ndarray)]]):
            ys = function.forward(tuple(xs))
    except NotImplementedError as error:
        raise NotWrittenError(str(error)) from error
    if any(isinstance(step.function, Drawn) for step in steps):
        raise NotWrittenError("its forward draws random numbers")
    unknown = [type(step.function).__name__ for step in steps if type(step.function) not in table]
    if unknown:
        raise NotWrittenError(f"its forward computes {unknown[0]}")
    known = {id(y) for step in steps for y in step.outputs} | set(map(id, xs))
    if any(id(y) not in known for y in ys):
        raise NotWrittenError("its forward uses operations that cannot be recorded")
    return xs, steps, ys
