"""Gradients of a function that is computed in one go, by way of the same function composed of others.

A node that fuses many steps has `backward_arrays`, written by hand; where the gradient is to be differentiated in its
turn, `gradients_of` computes the function once more, step by step, and lets the engine go back through that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode, grad

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["gradients_of"]


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
