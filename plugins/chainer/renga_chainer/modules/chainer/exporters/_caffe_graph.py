"""The steps of a computation as Chainer counts them, from which the names and the order of layers follow."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Array
from renga_core.graph import FunctionHook, FunctionNode, Variable
from renga_core.graph.function_node import functions_behind

__all__ = ["Recorder", "Step", "steps_behind"]


class Recorder(FunctionHook):
    """Keeps what functions are given after their first input, their weights: the graph itself may not keep it.

    Attributes:
        weights: For each function.
    """

    name = "caffe.export"

    def __init__(self) -> None:
        self.weights: dict[FunctionNode, tuple[Array, ...]] = {}

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Keep them."""
        self.weights[function] = in_data[1:]


@dataclass(frozen=True, eq=False)
class Step:
    """A function that has been applied.

    Attributes:
        label: Chainer's name of the function.
        function: The function; for a reshape that Chainer does and Renga does not, the one that it is for.
        inputs: The steps that computed its inputs; None for one that was not computed.
        weights: Its inputs after the first.
        shape: What a reshape makes, as it was asked for.
        rank: The number of steps before it on the longest way.
    """

    label: str
    function: FunctionNode
    inputs: tuple[Step | None, ...]
    weights: tuple[Array, ...] = ()
    shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        rank = max([step.rank + 1 for step in self.inputs if step is not None], default=0)
        object.__setattr__(self, "rank", rank)

    rank: int = 0


def steps_behind(outputs: Sequence[Variable], weights: dict[FunctionNode, tuple[Array, ...]]) -> list[Step]:
    """The steps that compute `outputs`, each after those that it needs, in the order in which Chainer writes them."""
    made: dict[FunctionNode, Step] = {}
    ends = [y.creator_node for y in outputs if y.creator_node is not None]
    for function in reversed(functions_behind(ends)):
        inputs = tuple([None if node.creator_node is None else made[node.creator_node] for node in function.inputs])
        made[function] = _step(function, inputs, weights.get(function, ()))
    return _in_order([made[function] for function in ends])


def _step(function: FunctionNode, inputs: tuple[Step | None, ...], weights: tuple[Array, ...]) -> Step:
    """A function as a step. Chainer brings what a linear layer takes and gives into two axes and back."""
    if function.label == "Reshape":
        return Step("Reshape", function, inputs, shape=tuple(getattr(function, "shape", ())))
    if function.label != "LinearFunction":
        return Step(function.label, function, inputs, weights)
    shape, n_batch_axes = function.inputs[0].shape, getattr(function, "n_batch_axes", 1)
    batch = shape[:n_batch_axes]
    if len(shape) > 2:
        inputs = Step("Reshape", function, inputs[:1], shape=(math.prod(batch), -1)), *inputs[1:]
    step = Step(function.label, function, inputs, weights)
    return Step("Reshape", function, (step,), shape=(*batch, -1)) if n_batch_axes > 1 else step


def _in_order(ends: list[Step]) -> list[Step]:
    """From the ends backwards: a chain is followed to where it forks; otherwise the deepest and the last found."""
    uses = Counter(ends)
    todo = list(uses)
    while todo:
        for step in _computed(todo.pop()):
            if step not in uses:
                todo.append(step)
            uses[step] += 1
    found: set[Step] = set()
    heap: list[tuple[int, int, int, Step]] = []

    def find(steps: list[Step]) -> None:
        for step in steps:
            if step not in found:
                is_link_of_chain = len(steps) == 1 and uses[step] == 1
                # The last of these is another for each step, so that steps are never compared.
                heapq.heappush(heap, (-len(found) if is_link_of_chain else 1, -step.rank, -len(found), step))
                found.add(step)

    find(ends)
    order: list[Step] = []
    while heap:
        order.append(heapq.heappop(heap)[-1])
        find(_computed(order[-1]))
    return order[::-1]


def _computed(step: Step) -> list[Any]:
    return [before for before in step.inputs if before is not None]
