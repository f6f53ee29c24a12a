"""Delegate variables, which represent communication whose result is not used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, default_device, get_device_of
from renga_core.graph import FunctionNode, Variable

__all__ = ["anchor", "delegate", "delegate_gradient", "pseudo_connect", "zeros"]


def pseudo_connect(delegate_variable: Variable | None, *actual_variables: Any) -> tuple[Variable, ...]:
    """Make variables also depend on a delegate variable, without changing their values (as in ChainerMN).

    Backward from the results reaches everything that `delegate_variable` depends on, with a zero gradient. So the other
    ranks do not notice that nothing on this rank uses the data that it sent or received::

        sent = send(h, comm, rank=1)
        loss = f(x)
        (loss,) = pseudo_connect(sent, loss)
        loss.backward()  # also waits for the gradient of h

    Backward visits functions in the reverse of the order of their calls, which is enough to avoid deadlocks: several
    messages may all be tied to the end.

    Args:
        delegate_variable: The result of `send`, or of `gather` on ranks other than its root; or any variable. None: no
            dependency.
        actual_variables: One or more variables (or arrays).

    Returns:
        Variables with the same arrays, one for each of `actual_variables`; always a tuple.

    Raises:
        ValueError: There are no `actual_variables`.
        TypeError: One of the arguments is not a variable or array.
    """
    if not actual_variables:
        raise ValueError("pseudo_connect: pass the variables that should depend on delegate_variable after it")
    tie = delegate(get_device_of(actual_variables[0])) if delegate_variable is None else delegate_variable
    return PseudoConnect().apply((tie, *actual_variables))


class PseudoConnect(FunctionNode):
    """The identity on all inputs but the first; the outputs also depend on the first."""

    function_name = "pseudo_connect"

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Return all but the first."""
        self._device = get_device_of(inputs[0])
        return inputs[1:]

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> Sequence[Variable | None]:
        """Return the gradients; zeros for the first input, which depend on these gradients."""
        return [
            delegate_gradient(self, 0, self._device, *grad_outputs) if i == 0 else grad_outputs[i - 1]
            for i in target_input_indexes
        ]


def delegate(device: Device | None = None) -> Variable:
    """Make a new delegate variable: empty, and requiring a gradient."""
    device = default_device() if device is None else device
    return Variable(zeros(device, (0,), np.float32))


def anchor(given: Any = None, device: Device | None = None) -> Variable:
    """Return an input that makes a function join the graph: `given`, if it is such a variable, or a new one.

    Otherwise, if this rank has nothing to differentiate, it would not take part in backward, and others would wait.
    """
    return given if isinstance(given, Variable) and given.requires_grad else delegate(device)


def delegate_gradient(function: FunctionNode, index: int, device: Device, *after: Variable | None) -> Variable:
    """The gradient of a delegate variable as an input: zeros.

    They depend on `after`, the data that backward has sent or passed on. So the gradient of a delegate variable is
    itself the delegate variable of the communication in backward, for a second backward.
    """
    node = function.inputs[index]
    gradient = Variable(zeros(device, node.shape, node.dtype), requires_grad=False)
    for one in after:
        if one is not None and one.requires_grad:
            (gradient,) = pseudo_connect(one, gradient)
    return gradient


def zeros(device: Device, shape: tuple[int, ...], dtype: Any) -> Array:
    """Return zeros on a device."""
    with device.use():
        return device.xp.zeros(shape, dtype=dtype)
