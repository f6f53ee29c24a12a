"""Delegate variables: they stand for communication in places where its result is not used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, default_device, get_device_of
from renga_core.graph import FunctionNode, Variable

__all__ = ["anchor", "delegate", "delegate_gradient", "pseudo_connect", "zeros"]


def pseudo_connect(delegate_variable: Variable | None, *actual_variables: Any) -> tuple[Variable, ...]:
    """Make variables depend on a delegate variable too, without changing them (as ChainerMN's function).

    Backward from what is returned comes by everything that `delegate_variable` was made from, with zeros for its
    gradient. So it does not matter to the other ranks that nothing on this one uses what it sent or received::

        sent = send(h, comm, rank=1)
        loss = f(x)
        (loss,) = pseudo_connect(sent, loss)
        loss.backward()  # also waits for the gradient of h

    Backward visits functions in the reverse of the order in which they were called, so nothing more is needed for an
    order in which ranks do not wait for each other crosswise: several messages may all be tied to the end.

    Args:
        delegate_variable: What `send`, or `gather` on ranks that are not its root, returned; or any variable. None:
            nothing to depend on.
        actual_variables: One or more variables (or arrays).

    Returns:
        Variables with the same arrays, one for each of `actual_variables`; a tuple even of one.

    Raises:
        ValueError: There are no `actual_variables`.
        TypeError: One of the arguments is not a variable or array.
    """
    if not actual_variables:
        raise ValueError("pseudo_connect: give the variables that are to depend on delegate_variable after it")
    tie = delegate(get_device_of(actual_variables[0])) if delegate_variable is None else delegate_variable
    return PseudoConnect().apply((tie, *actual_variables))


class PseudoConnect(FunctionNode):
    """The identity on all inputs but the first, on which the outputs count as depending."""

    function_name = "pseudo_connect"

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """All but the first."""
        self._device = get_device_of(inputs[0])
        return inputs[1:]

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> Sequence[Variable | None]:
        """The gradients as they are; zeros for the first input, which in their turn depend on these gradients."""
        return [
            delegate_gradient(self, 0, self._device, *grad_outputs) if i == 0 else grad_outputs[i - 1]
            for i in target_input_indexes
        ]


def delegate(device: Device | None = None) -> Variable:
    """A new delegate variable: empty, and requiring a gradient."""
    device = default_device() if device is None else device
    return Variable(zeros(device, (0,), np.float32))


def anchor(given: Any = None, device: Device | None = None) -> Variable:
    """An input because of which a function joins the graph: `given`, if it is a variable that does that, or a new one.

    Otherwise this rank would not take part in backward where it has nothing to differentiate, and others would wait.
    """
    return given if isinstance(given, Variable) and given.requires_grad else delegate(device)


def delegate_gradient(function: FunctionNode, index: int, device: Device, *after: Variable | None) -> Variable:
    """The gradient of an input that is a delegate variable: zeros.

    They depend on `after`, which is what backward has sent or passed on: so the gradient of a delegate variable is
    itself the delegate variable of the communication in backward, for a second backward.
    """
    node = function.inputs[index]
    gradient = Variable(zeros(device, node.shape, node.dtype), requires_grad=False)
    for one in after:
        if one is not None and one.requires_grad:
            (gradient,) = pseudo_connect(one, gradient)
    return gradient


def zeros(device: Device, shape: tuple[int, ...], dtype: Any) -> Array:
    """Zeros on a device."""
    with device.use():
        return device.xp.zeros(shape, dtype=dtype)
