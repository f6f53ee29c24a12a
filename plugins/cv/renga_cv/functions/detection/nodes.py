"""Base classes of the functions of this package, for Renga's graph and for ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from renga_core.backend import Array, get_device_of, to_host
from renga_core.graph import FunctionNode, Variable, as_array, as_variable, force_backprop_mode, no_backprop_mode
from renga_nn.functions.composed import gradients_of

__all__ = ["ComposedNode", "HostNode", "OnnxCall"]

Host = np.ndarray[Any, Any]


class OnnxCall(Protocol):
    """The argument of `to_onnx`: see docs/how-to/export-to-onnx.md, «A function of your own»."""

    inputs: list[str]
    outputs: list[str]
    opset: int

    @property
    def x(self) -> Array:
        """The first input in the recorded run."""

    def fresh(self, name: str) -> str:
        """A new, unused name."""

    def op(self, op_type: str, inputs: Sequence[str], outputs: Sequence[str] | None = None, **attributes: Any) -> str:
        """Write a node."""

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Write a constant."""

    def integers(self, values: Sequence[int]) -> str:
        """Write a constant of integers."""

    def cast(self, x: str, dtype: Any, outputs: Sequence[str] | None = None) -> str:
        """Write a conversion."""

    def unsqueeze(self, x: str, axes: Sequence[int], outputs: Sequence[str] | None = None) -> str:
        """Write a node that adds axes of size 1."""

    def squeeze(self, x: str, axes: Sequence[int], outputs: Sequence[str] | None = None) -> str:
        """Write a node that removes axes of size 1."""

    def reduce(
        self, kind: str, x: str, axes: Sequence[int], keepdims: bool, outputs: Sequence[str] | None = None
    ) -> str:
        """Write a reduction."""


class HostNode(FunctionNode):
    """A function that is computed on the host and has no gradient. A subclass defines `compute`."""

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """The outputs."""
        raise NotImplementedError(f"{type(self).__name__} does not define compute(*inputs)")

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute, and send the results to the device of the first input."""
        device = get_device_of(inputs[0])
        return tuple([device.send(y) for y in self.compute(*map(to_host, inputs))])

    def of(self, *inputs: Any) -> tuple[Variable, ...]:
        """Apply the function to arrays, because no gradient is needed."""
        return self.apply([as_array(x) for x in inputs])


class ComposedNode(FunctionNode):
    """A function that is one node of the graph, and is computed by other functions. A subclass defines `compose`."""

    def compose(self, *inputs: Variable) -> Variable:
        """The output."""
        raise NotImplementedError(f"{type(self).__name__} does not define compose(*inputs)")

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute."""
        self.retain_inputs(range(len(inputs)))
        with no_backprop_mode():
            return (self.compose(*map(as_variable, inputs)).array,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Backward through the other functions."""
        with force_backprop_mode():
            return gradients_of(
                lambda *xs: (self.compose(*xs),), self.get_retained_inputs(), target_input_indexes, grad_outputs
            )
