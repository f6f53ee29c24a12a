"""Squared and absolute errors, per element and their means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode
from renga_core.graph.operators import absolute, subtract
from renga_nn.functions.checks import require_same, wide
from renga_nn.functions.math.square import square

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["absolute_error", "mean_absolute_error", "mean_squared_error", "squared_error"]


def mean_squared_error(x0: Any, x1: Any) -> Variable:
    """``mean((x0 - x1)**2)``, a scalar.

    Args:
        x0, x1: Variables or arrays of one shape and one floating dtype.

    Raises:
        InvalidType: Shapes or dtypes differ.

    >>> import numpy as np
    >>> mean_squared_error(np.array([1.0, 2.0]), np.array([1.0, 4.0])).array.tolist()
    2.0
    """
    require_same("mean_squared_error", "x0", x0, "x1", x1)
    return MeanSquaredError().apply((x0, x1))[0]


def mean_absolute_error(x0: Any, x1: Any) -> Variable:
    """``mean(|x0 - x1|)``, a scalar. Arguments and errors as `mean_squared_error`.

    >>> import numpy as np
    >>> mean_absolute_error(np.array([1.0, 2.0]), np.array([1.0, 4.0])).array.tolist()
    1.0
    """
    require_same("mean_absolute_error", "x0", x0, "x1", x1)
    return MeanAbsoluteError().apply((x0, x1))[0]


def squared_error(x0: Any, x1: Any) -> Variable:
    """``(x0 - x1)**2``, element by element, not reduced. Arguments and errors as `mean_squared_error`.

    >>> import numpy as np
    >>> squared_error(np.array([1.0, 2.0]), np.array([1.0, 4.0])).array.tolist()
    [0.0, 4.0]
    """
    require_same("squared_error", "x0", x0, "x1", x1)
    return square(subtract(x0, x1))


def absolute_error(x0: Any, x1: Any) -> Variable:
    """``|x0 - x1|``, element by element, not reduced. Arguments and errors as `mean_squared_error`.

    >>> import numpy as np
    >>> absolute_error(np.array([1.0, 2.0]), np.array([1.0, 4.0])).array.tolist()
    [0.0, 2.0]
    """
    require_same("absolute_error", "x0", x0, "x1", x1)
    return absolute(subtract(x0, x1))


class MeanError(FunctionNode):
    """Mean over all elements of a function of the difference. The mean of no elements is 0."""

    fresh_gradients = True

    def error(self, difference: Array) -> Array:
        """The error of each element."""
        raise NotImplementedError

    def slope(self, difference: Any) -> Any:
        """Its derivative, on arrays and Variables."""
        raise NotImplementedError

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Mean of the errors."""
        x0, x1 = inputs
        self.retain_inputs((0, 1))
        errors = self.error(wide(x0) - wide(x1))
        return ((errors.sum() / max(1, x0.size)).astype(x0.dtype),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Opposite gradients."""
        x0, x1 = self.saved_inputs
        return self._opposite(x0 - x1, target_input_indexes, grad_outputs[0], x0.size)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        x0, x1 = self.get_retained_inputs()
        return self._opposite(x0 - x1, target_input_indexes, grad_outputs[0], x0.size)

    def _opposite(self, difference: Any, targets: tuple[int, ...], gy: Any, size: int) -> list[Any]:
        gradient = self.slope(difference) * (gy / max(1, size))
        return [-gradient if i else gradient for i in targets]


class MeanSquaredError(MeanError):
    """Mean of squares."""

    def error(self, difference: Array) -> Array:
        return difference * difference

    def slope(self, difference: Any) -> Any:
        return difference * 2


class MeanAbsoluteError(MeanError):
    """Mean of absolute values."""

    def error(self, difference: Array) -> Array:
        return abs(difference)

    def slope(self, difference: Any) -> Any:
        values = getattr(difference, "array", difference)
        return get_backend(values).xp.sign(values)
