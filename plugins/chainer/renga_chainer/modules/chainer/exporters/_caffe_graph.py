"""The functions of a computation, with Chainer's ranks, which determine names and order of layers."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode, Variable, as_array
from renga_core.graph.function_node import functions_behind
from renga_core.tracer import Tracer

__all__ = ["Recorder", "Step", "steps_behind"]


class Recorder(Tracer):
    """Keeps the weights of functions (all inputs but the first), because the graph may not keep them.

    Attributes:
        weights: The weights of each function.
    """

    def __init__(self) -> None:
        self.weights: dict[FunctionNode, tuple[Array, ...]] = {}

    def apply(
        self, proceed: Callable[..., tuple[Variable, ...]], function: FunctionNode, inputs: Sequence[Any]
    ) -> tuple[Variable, ...]:
        """Keep the weights of a function."""
        self.weights[function] = tuple([as_array(x) for x in inputs[1:]])
        return proceed(function, inputs)


@dataclass(frozen=True, eq=False)
class Step:
    """One applied function.

    Attributes:
        label: Name of the function in Chainer.
        function: The function node; for a reshape that only Chainer does, the node that it belongs to.
        inputs: Steps that computed its inputs; None for an input that no function computed.
        weights: All inputs but the first.
        shape: Requested shape of a reshape.
        rank: Number of steps before it on the longest path.
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
    """Return the steps that compute `outputs`, in the order of Chainer's file; inputs come first."""
    made: dict[FunctionNode, Step] = {}
    ends = [y.creator_node for y in outputs if y.creator_node is not None]
    for function in reversed(functions_behind(ends)):
        inputs = tuple([None if node.creator_node is None else made[node.creator_node] for node in function.inputs])
        made[function] = _step(function, inputs, weights.get(function, ()))
    return _in_order([made[function] for function in ends])


def _step(function: FunctionNode, inputs: tuple[Step | None, ...], weights: tuple[Array, ...]) -> Step:
    """Convert a function node into steps. Chainer reshapes input and output of a linear layer to two axes and back."""
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
    """Go backwards from the outputs: follow a chain up to a branch; otherwise take the deepest and latest step."""
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
                # The last entry is unique, so that steps themselves are never compared.
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
