"""Divides large batches into pieces for several threads, so that the arrays of each thread fit into the cache."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from renga_core.graph import FunctionNode
from renga_core.graph.operators.product import MatMul
from renga_core.graph.operators.reduction import Sum
from renga_core.graph.operators.shape import BroadcastTo, Cast, Reshape, Transpose
from renga_inference.lowering import is_operator, operation_of
from renga_inference.program import Program, Spec, Step
from renga_inference.sizes import Size, value_at
from renga_nn.functions.activation.softmax import AlongAxis
from renga_nn.functions.array.concat import Concat, Split
from renga_nn.functions.array.pad import Pad
from renga_nn.functions.elementwise import Elementwise
from renga_nn.functions.math.reduction import Reduction
from renga_nn.functions.normalization.local_response_normalization import LocalResponseNormalization

__all__ = ["Work", "work_of"]

CACHE = 8 << 20
"""Largest number of bytes that a step may read and write in a piece."""
LITTLE = 4 << 20
"""Up to this number of bytes, more threads are not faster."""

_OF_EACH = (Cast, Elementwise, LocalResponseNormalization, Pad, Reduction, Reshape, Sum)
"""Functions that compute each example on its own if the first axis of the result is that of the batch."""


class Work(NamedTuple):
    """Memory traffic of a program.

    Attributes:
        largest: Bytes of the step that reads and writes most, for one example, without constants.
        total: Bytes of all steps, for one example, without constants.
        constants: Bytes of the constants, which each piece reads anew.
    """

    largest: int
    total: int
    constants: int

    def piece(self, batch: int, threads: int) -> int:
        """Number of examples that a thread computes at once; 0 if all threads should compute the whole batch."""
        if self.total * batch < max(LITTLE, self.constants):
            return 0
        return min(max(1, CACHE // self.largest), batch // threads)


def work_of(program: Program) -> Work | None:
    """Return the traffic of a program; None if it may not compute each example independently."""
    computed = {*program.inputs, *[number for step in program.steps for number in step.outputs]}
    specs = program.specs
    if not computed.issuperset(program.outputs) or not all(_is_batch(specs[number]) for number in computed):
        return None
    if not all(_keeps_examples_apart(step, specs, computed) for step in program.steps):
        return None
    sizes = [
        sum(math.prod(specs[n].at(1)) * specs[n].dtype.itemsize for n in {*step.reads, *step.outputs} & computed)
        for step in program.steps
    ]
    return Work(
        max(sizes, default=1), sum(sizes), sum(program.constants.shown(number).nbytes for number in program.constants)
    )


def _is_batch(spec: Spec) -> bool:
    """Whether each example has its own rows."""
    first, *others = spec.shape or (0,)
    return isinstance(first, Size) and first.slope > 0 and not first.offset and all(type(n) is int for n in others)


def _follows_batch(function: FunctionNode) -> bool:
    """Whether its computation depends on the batch size."""
    parts = vars(function).items()
    shapes = type(function) in (BroadcastTo, Reshape)
    return any(value_at(part, 1) is not part for name, part in parts if not (shapes and name == "shape"))


def _keeps_examples_apart(step: Step, specs: Mapping[int, Spec], computed: Collection[int]) -> bool:
    function: Any = step.function
    axes = [len(specs[number].shape) for number in step.inputs]
    varying = [number for number in step.inputs if number in computed]
    if step.held or any(_follows_batch(each) for each in (function, *[then for then, _ in step.then])):
        return False
    if isinstance(function, (AlongAxis, Concat, Split)):
        return function.axis % axes[0] != 0
    if isinstance(function, Transpose):
        return function.axes[0] == 0
    if isinstance(function, MatMul):
        return len(varying) == 2 and min(axes) > 2
    if isinstance(function, BroadcastTo):
        return not varying or axes[0] == len(function.shape)
    if isinstance(function, _OF_EACH) or is_operator(function):
        return True
    return operation_of(function) is not None and varying == list(step.inputs[:1])
