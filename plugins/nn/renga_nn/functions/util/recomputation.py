"""Recomputing forgotten parts of a graph in backward (the paper, section 4.2).

A part of the graph is replaced by one function that retains only the part's inputs. In backward the part is rebuilt
from the same inputs, differentiated, and freed on the way. So a chain of n functions, forgotten in pieces of sqrt(n),
needs memory for 2 sqrt(n) of them, for one more forward pass.

The part may use more than its arguments: parameters and other variables that its code refers to. They are found by
building the part once in forward, and become inputs too. So `backward`, `grad` and second derivatives all find
gradients with respect to them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from renga_core import random
from renga_core.backend import Array, Backend, get_backend
from renga_core.configuration import config, using_config
from renga_core.graph.backprop import node_key, walk_within
from renga_core.graph.function_node import FunctionNode, functions_since, next_order
from renga_core.graph.node import VariableNode
from renga_core.graph.variable import Variable, as_variable
from renga_core.tracepoints import side_effect

__all__ = ["recomputed", "remembered"]

Part = Callable[..., tuple[Variable, ...]]
T = TypeVar("T")


def recomputed(part: Part, *xs: Variable | Array) -> tuple[Variable, ...]:
    """Return ``part(*xs)``, retaining only the inputs; `part` is called again in backward.

    Args:
        part: Takes a Variable for each of `xs`; returns a tuple of Variables.
        xs: Variables or arrays.
    """
    arguments = [as_variable(x) for x in xs]
    if not config.enable_backprop:
        return part(*arguments)
    calls = PartCalls([get_backend(x._array) for x in arguments])
    start = next_order()
    with side_effect(calls.first) or calls.first():
        ys = part(*arguments)
    variables = {node_key(x.node): x for x in arguments}
    numbers = {key: number for number, key in enumerate(variables)}
    places = [numbers[node_key(x.node)] for x in arguments]
    for node in _sources(ys, start):
        variable = node.get_variable_or_none()
        # A freed variable was made by the part itself: nothing can ask for its gradient.
        if variable is not None:
            variables.setdefault(node_key(node), variable)
    function = Recomputation(part, places, len(numbers), calls, tuple([y._array for y in ys]))
    del ys
    return function.apply(list(variables.values()))


def remembered(compute: Callable[[], T]) -> T:
    """Return ``compute()``; when a forgotten part is rebuilt, return the value of the first time.

    For values that change when a function is called again, such as moving averages. Values are kept, so they should be
    small.
    """
    if not _building.notes:
        return compute()
    found = [next(given) for _, given in _building.notes if given is not None]
    value = found[-1] if found else compute()
    for notes, given in _building.notes:
        if given is None:
            notes.append(value)
    return value


class _Building(threading.local):
    """The parts that this thread is building, outermost first: the notes of each, written or read."""

    notes: tuple[tuple[list[Any], Iterator[Any] | None], ...] = ()


_building = _Building()


@contextmanager
def _noting(given: list[Any] | None) -> Iterator[list[Any]]:
    """Build a part: the first time, recording `remembered` values; later, returning the recorded ones."""
    before = _building.notes
    notes: list[Any] = []
    _building.notes = (*before, (notes, None if given is None else iter(given)))
    try:
        yield notes
    finally:
        _building.notes = before


class PartCalls:
    """The circumstances in which a part is called: the first time, and again in backward.

    `first` and `again` are given to `side_effect`, so that the replay of a recorded step enters them too.

    Args:
        backends: Those of its arguments.
    """

    def __init__(self, backends: Sequence[Backend]) -> None:
        self._backends = backends
        self._state: dict[str, Any] = {}
        self._notes: list[Any] = []
        self._train = False

    @contextmanager
    def first(self) -> Iterator[None]:
        """Keep the random state, the mode, and what is `remembered`."""
        for backend in self._backends:  # a generator that does not exist yet would be missing in the state
            random.generator(backend)
        self._state, self._train = random.get_state(), config.train
        with _noting(None) as self._notes:
            yield

    @contextmanager
    def again(self) -> Iterator[None]:
        """Restore them."""
        with (
            using_config("enable_backprop", True),
            using_config("train", self._train),
            using_config("in_recomputing", True),
            random.replaying(self._state),
            _noting(self._notes),
        ):
            yield


class Recomputation(FunctionNode):
    """A part of a graph that is rebuilt in backward.

    Args:
        part: The function that builds it.
        places: For each argument of `part`, its index among the inputs.
        arguments: Number of leading inputs that are arguments; the others are variables that the code of `part` uses.
        calls: The circumstances in which `part` was called.
        outputs: The results of `part`.
    """

    def __init__(
        self,
        part: Part,
        places: Sequence[int],
        arguments: int,
        calls: PartCalls,
        outputs: tuple[Array, ...],
    ) -> None:
        self.part = part
        self.places = places
        self.arguments = arguments
        self.calls = calls
        self._outputs: tuple[Array, ...] = outputs

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return the results, which have been computed already."""
        self.retain_inputs(range(self.arguments))
        outputs, self._outputs = self._outputs, ()
        return outputs

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Rebuild the part, and differentiate it."""
        return self._gradients(target_input_indexes, grad_outputs, False)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable: the part stays, for second derivatives."""
        return self._gradients(target_input_indexes, grad_outputs, True)

    def _gradients(self, targets: tuple[int, ...], gys: Sequence[Any], differentiable: bool) -> Sequence[Any]:
        inputs = self.get_retained_inputs()
        with side_effect(self.calls.again) or self.calls.again():
            start = next_order()
            ys = self.part(*[inputs[place] for place in self.places])
        starts = [(y.node, gy) for y, gy in zip(ys, gys, strict=True) if gy is not None]
        del ys
        return walk_within(starts, start, [self.inputs[i] for i in targets], differentiable)


def _sources(ys: Sequence[Variable], start: int) -> list[VariableNode]:
    """Variables that require a gradient and are used, but not made, by functions applied since `start`; in order."""
    creators = [y.creator_node for y in ys if y.creator_node is not None]
    functions = functions_since(creators, start)
    in_order = sorted(functions, key=lambda function: function._order)
    nodes = [function.inputs[i] for function in in_order for i in function._targets]
    nodes += [y.node for y in ys if y.requires_grad]
    return [node for node in nodes if node.creator_node is None or node.creator_node not in functions]
