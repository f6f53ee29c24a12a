"""Gradients of a function that is computed in one go, by way of the same function composed of others.

A node that fuses many steps has `backward_arrays`, written by hand; where the gradient is to be differentiated in its
turn, `gradients_of` computes the function once more, step by step, and lets the engine go back through that.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar, cast

from renga_core.backend import Array
from renga_core.configuration import config, unusual
from renga_core.graph import FunctionNode, Variable, as_variable, grad, no_backprop_mode

__all__ = ["Whole", "gradients_of", "node_of", "whole"]

F = TypeVar("F", bound=Callable[..., Any])


def gradients_of(
    compose: Callable[..., Sequence[Variable]],
    inputs: Sequence[Variable],
    targets: Sequence[int],
    grad_outputs: Sequence[Variable | None],
) -> Sequence[Variable | None]:
    """What `FunctionNode.backward` has to return.

    Args:
        compose: The function, written with differentiable functions: it takes Variables and returns all outputs.
        inputs: All inputs, as `FunctionNode.get_retained_inputs` returns them.
        targets: Which of them a gradient is wanted for.
        grad_outputs: Gradient with respect to each output, or None.

    Returns:
        A gradient, or None for zero, for each of `targets`.
    """
    # The walk is to end at the inputs, also where one of them was computed from another.
    own = Begin().apply(inputs)
    outputs = compose(*own)
    given = [(y, gy) for y, gy in zip(outputs, grad_outputs, strict=True) if gy is not None]
    return grad(
        [y for y, _ in given],
        [own[i] for i in targets],
        grad_outputs=[gy for _, gy in given],
        enable_double_backprop=True,
    )


class Begin(FunctionNode):
    """The inputs as they are: where the composed function begins."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Unchanged."""
        return inputs

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Unchanged."""
        return [grad_outputs[i] for i in target_input_indexes]


def whole(*arrays: str) -> Callable[[F], F]:
    """A function that is composed of others: tracers that want it so (`Tracer.whole`) see one node, not its steps.

    For functions that look at values in a way that an exporter could not follow. Without such a tracer nothing changes.

    Args:
        arrays: Names of the arguments that are inputs of the node; the others are its `arguments`.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        node = type(function.__name__, (Whole,), {"composed": staticmethod(function), "arrays": arrays})

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if not (unusual and any(tracer.whole for tracer in config.tracers)):
                return function(*args, **kwargs)
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            inputs = [bound.arguments.pop(name) for name in arrays]
            return node(bound.arguments).apply(inputs)[0]

        called.node = node  # type: ignore[attr-defined]  # where `node_of` finds it
        return cast(F, called)

    return decorate


def node_of(function: Callable[..., Any]) -> type[Whole]:
    """The class of node that stands for a function that was made by `whole`."""
    return cast("type[Whole]", getattr(function, "node"))  # noqa: B009 - which functions do not have


class Whole(FunctionNode):
    """A function that is composed of others, as one node.

    Args:
        arguments: Those that are not inputs, by name.
    """

    composed: ClassVar[Callable[..., Variable]]
    arrays: ClassVar[tuple[str, ...]]

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.arguments = arguments

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Its steps."""
        self.retain_inputs(range(len(inputs)))
        with no_backprop_mode():
            return tuple([y.array for y in self._compose(*map(as_variable, inputs))])

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Back through its steps."""
        return gradients_of(self._compose, self.get_retained_inputs(), target_input_indexes, grad_outputs)

    def _compose(self, *inputs: Variable) -> Sequence[Variable]:
        return (type(self).composed(**dict(zip(self.arrays, inputs, strict=True)), **self.arguments),)
