"""Single parameters as links."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from renga_core.backend import Array
from renga_core.graph import InvalidType, Variable, as_variable
from renga_core.graph import Parameter as ParameterVariable
from renga_core.graph.errors import describe_array
from renga_core.link import Chain, Link
from renga_nn.initializers import get_initializer

__all__ = ["Bias", "Parameter", "Scale"]


class Parameter(Link):
    """A single parameter; calling the link returns it.

    Args:
        array: Its initial value.

    Attributes:
        W: The parameter.

    >>> import numpy as np
    >>> Parameter(np.array([1.0, 2.0], np.float32))().array.tolist()
    [1.0, 2.0]
    """

    def __init__(self, array: Array) -> None:
        super().__init__()
        with self.init_scope():
            self.W = ParameterVariable(array)

    def forward(self) -> Variable:
        """The parameter."""
        return self.W


class Bias(Link):
    """Add an array along some axes.

    Args:
        axis: The first axis of the input with which `b` is aligned.
        shape: Shape of a trained `b`, initially zero; None if `b` is passed to each call.

    Attributes:
        b: The trained array, if `shape` is given.

    >>> import numpy as np
    >>> Bias(axis=1, shape=(3,))(np.ones((2, 3, 4), np.float32)).shape
    (2, 3, 4)
    """

    def __init__(self, axis: int = 1, shape: int | Sequence[int] | None = None) -> None:
        super().__init__()
        self.axis = axis
        if shape is not None:
            with self.init_scope():
                self.b = ParameterVariable(get_initializer(0), shape)

    def forward(self, *xs: Any) -> Variable:
        """``x + b`` for ``(x)``, or for ``(x, b)`` if `b` is not trained."""
        x, b = _operands(self, "b", xs)
        return x + _aligned(self, "b", b, x)


class Scale(Chain):
    """Multiply by an array along some axes, and optionally add another one.

    Args:
        axis: The first axis of the input with which `W` is aligned.
        W_shape: Shape of a trained `W`, initially one; None if `W` is passed to each call.
        bias_term: Whether to add a trained bias.
        bias_shape: Shape of the bias if `W_shape` is None.

    Raises:
        ValueError: The shape of the bias is unknown.

    Attributes:
        W: The trained array, if `W_shape` is given. bias: The `Bias`, if there is one.

    >>> import numpy as np
    >>> Scale(axis=1, W_shape=(3,), bias_term=True)(np.ones((2, 3, 4), np.float32)).shape
    (2, 3, 4)
    """

    def __init__(
        self,
        axis: int = 1,
        W_shape: int | Sequence[int] | None = None,
        bias_term: bool = False,
        bias_shape: int | Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self.axis = axis
        with self.init_scope():
            if W_shape is not None:
                self.W = ParameterVariable(get_initializer(1), W_shape)
            if bias_term:
                shape = bias_shape if W_shape is None else W_shape
                if shape is None:
                    raise ValueError("Scale: bias_term=True needs W_shape or bias_shape")
                self.bias = Bias(axis, shape)

    def forward(self, *xs: Any) -> Variable:
        """``x * W`` (plus the bias) for ``(x)``, or for ``(x, W)`` if `W` is not trained."""
        x, W = _operands(self, "W", xs)
        y = x * _aligned(self, "W", W, x)
        return self.bias(y) if hasattr(self, "bias") else y


def _operands(link: Link, name: str, xs: tuple[Any, ...]) -> tuple[Variable, Any]:
    """The input, and the array that is trained or passed."""
    expected = 1 if hasattr(link, name) else 2
    if len(xs) != expected:
        why = f"{expected}, because {name} is {'trained' if expected == 1 else 'not trained'}"
        raise InvalidType(type(link).__name__, "number of arguments", why, str(len(xs)))
    return as_variable(xs[0]), getattr(link, name) if expected == 1 else xs[1]


def _aligned(link: Bias | Scale, name: str, value: Any, x: Variable) -> Variable:
    """`value` with axes of size 1 added, so that its first axis is aligned with `axis` of `x`."""
    axis = index(link.axis)
    after = x.ndim - axis - value.ndim
    if after < 0 or tuple(value.shape) != x.shape[axis : axis + value.ndim]:
        expected = f"a shape that fits the axes from {axis} on of x: {describe_array(x)}"
        raise InvalidType(type(link).__name__, name, expected, describe_array(value))
    return as_variable(value).reshape((1,) * axis + tuple(value.shape) + (1,) * after)
