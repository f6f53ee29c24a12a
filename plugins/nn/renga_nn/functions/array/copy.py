"""Copying to another device, and the identity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from renga_core.backend import Array, Device, get_device, get_device_of
from renga_core.graph import FunctionNode

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["copy", "identity"]


def copy(x: Any, dst: str | Device) -> Variable:
    """A copy on another device; gradients are copied back to the device of `x`.

    Args:
        x: Variable or array.
        dst: The device or its name: ``numpy``, ``cupy:0``.

    Raises:
        UnknownProvider, ProviderUnavailable, ValueError: The device does not exist.

    >>> import numpy as np
    >>> copy(np.ones(2), "numpy").device
    <Device numpy>
    """
    return Copy(get_device(dst)).apply((x,))[0]


@overload
def identity(x: Any, /) -> Variable: ...
@overload
def identity(x: Any, y: Any, /, *more: Any) -> tuple[Variable, ...]: ...
def identity(*inputs: Any) -> Variable | tuple[Variable, ...]:
    """The arguments as new variables, for example to attach a function hook or to cut a graph.

    >>> import numpy as np
    >>> identity(np.array([1.0, 2.0])).array.tolist()
    [1.0, 2.0]
    """
    outputs = Identity().apply(inputs)
    return outputs if len(outputs) > 1 else outputs[0]


class Copy(FunctionNode):
    """Copy to a device; gradients are copied to the input's device."""

    fresh_gradients = True

    def __init__(self, device: Device) -> None:
        self.device = device

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Copy, even if the array is on the device already."""
        (x,) = inputs
        self.source = get_device_of(x)
        return (_copied(x, self.device),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """A copy of the gradient."""
        return (_copied(grad_outputs[0], self.source),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """A copy of the gradient."""
        return (copy(grad_outputs[0], self.source),)


def _copied(x: Array, device: Device) -> Array:
    return x.copy() if get_device_of(x) == device else device.send(x)


class Identity(FunctionNode):
    """Outputs are the inputs."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """The arrays themselves."""
        return inputs

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradients themselves."""
        return [grad_outputs[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradients themselves."""
        return [grad_outputs[i] for i in target_input_indexes]
