"""Gradients of a fused function through the same function composed of simpler ones.

A node that fuses many steps has a hand-written `backward_arrays`. For higher derivatives, `gradients_of` computes the
function again, step by step, and differentiates these steps.
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
    """Return the result for `FunctionNode.backward`.

    Args:
        compose: The function, written with differentiable functions; takes Variables and returns all outputs.
        inputs: All inputs, as `FunctionNode.get_retained_inputs` returns them.
        targets: Indexes of the inputs for which gradients are needed.
        grad_outputs: Gradient with respect to each output, or None.

    Returns:
        A gradient, or None for zero, for each of `targets`.
    """
    # Stop at the inputs, even if one of them was computed from another.
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
    """The inputs unchanged: the start of the composed function."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Unchanged."""
        return inputs

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Unchanged."""
        return [grad_outputs[i] for i in target_input_indexes]


def whole(*arrays: str) -> Callable[[F], F]:
    """Mark a function as composed of others: tracers with `Tracer.whole` see one node instead of its steps.

    For functions that depend on values in a way that an exporter could not follow. Without such a tracer, nothing
    changes.

    Args:
        arrays: Names of the arguments that are inputs of the node; the others are in `arguments`.
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
    """Make the node class for a function decorated with `whole`."""
    return cast("type[Whole]", getattr(function, "node"))  # noqa: B009 - which functions do not have


class Whole(FunctionNode):
    """A composed function as one node.

    Args:
        arguments: The arguments that are not inputs, by name.
    """

    composed: ClassVar[Callable[..., Variable]]
    arrays: ClassVar[tuple[str, ...]]

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.arguments = arguments

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the steps."""
        self.retain_inputs(range(len(inputs)))
        with no_backprop_mode():
            return tuple([y.array for y in self._compose(*map(as_variable, inputs))])

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Differentiate the steps."""
        return gradients_of(self._compose, self.get_retained_inputs(), target_input_indexes, grad_outputs)

    def _compose(self, *inputs: Variable) -> Sequence[Variable]:
        return (type(self).composed(**dict(zip(self.arrays, inputs, strict=True)), **self.arguments),)
