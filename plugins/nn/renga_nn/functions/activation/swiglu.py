"""SwiGLU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode, Variable
from renga_core.kernel import Operation
from renga_nn.functions.activation.sigmoid import sigmoid
from renga_nn.functions.checks import require_same, wide
from renga_nn.functions.composed import gradients_of

__all__ = ["swiglu"]


def swiglu(gate: Any, x: Any) -> Variable:
    """``gate * sigmoid(gate) * x``, element by element: SiLU of one input gates the other (Shazeer 2020, equation 5).

    In the paper both inputs are matrix products, which the caller computes.

    Args:
        gate: Variable or array of any shape and floating dtype.
        x: The same shape and dtype.

    Returns:
        Variable of the same shape and dtype.

    Raises:
        InvalidType: Shapes or dtypes differ or are not floating.

    >>> import numpy as np
    >>> swiglu(np.array([0.0, 100.0]), np.array([5.0, 2.0])).array.tolist()
    [0.0, 200.0]
    """
    require_same("swiglu", "gate", gate, "x", x)
    return SwiGLU().apply((gate, x))[0]


def _sigmoid(gate: Array) -> Array:
    """Compute with tanh, which does not overflow."""
    half = gate * 0.5
    half = get_array_module(gate).tanh(half)
    half *= 0.5
    half += 0.5
    return half


def _forward(gate: Array, x: Array) -> Array:
    """The gated `x`."""
    wide_gate = wide(gate)
    y = _sigmoid(wide_gate)
    y *= wide_gate
    y *= x
    return y.astype(gate.dtype, copy=False)


def _backward(gate: Array, x: Array, gy: Array) -> tuple[Array, Array]:
    """Gradients of both: with ``s = sigmoid(gate)``, ``gy * x * s * (1 + gate * (1 - s))`` and ``gy * gate * s``."""
    wide_gate, wide_gy = wide(gate), wide(gy)
    s = _sigmoid(wide_gate)
    silu = wide_gate * s
    slope = 1 - s
    slope *= silu
    slope += s
    slope *= wide_gy
    slope *= x
    silu *= wide_gy
    return slope.astype(gate.dtype, copy=False), silu.astype(gate.dtype, copy=False)


SWIGLU = Operation("swiglu", _forward, _backward, samples="renga_nn.functions.example_arguments:swiglu")


class SwiGLU(FunctionNode):
    """One input, gated by the other."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Keeps both inputs."""
        self.retain_inputs((0, 1))
        self._implementation = SWIGLU.select(get_backend(inputs[0]), *inputs)
        return (self._implementation.forward(*inputs),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Both gradients, since they share terms."""
        assert self._implementation.backward is not None
        gradients = self._implementation.backward(*self.saved_inputs, grad_outputs[0])
        return [gradients[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Compute the same by simpler functions."""
        return gradients_of(
            lambda gate, x: (gate * sigmoid(gate) * x,), self.get_retained_inputs(), target_input_indexes, grad_outputs
        )
