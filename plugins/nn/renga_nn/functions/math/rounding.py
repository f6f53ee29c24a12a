"""Rounding, signs and remainders. Except for remainders, results have no gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.backend import Array, get_array_module, same_dtype
from renga_core.graph import FunctionNode, InvalidType, Variable, as_array
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import operands, require_array, require_floating

__all__ = ["ceil", "fix", "floor", "fmod", "sign"]


def floor(x: Any) -> Variable:
    """The largest integer not above x, element by element. No gradient flows through it.

    >>> import numpy as np
    >>> floor(np.array([-1.5, 1.5])).array.tolist()
    [-2.0, 1.0]
    """
    require_array("floor", "x", x)
    return Floor().apply((as_array(x),))[0]


def ceil(x: Any) -> Variable:
    """The smallest integer not below x, element by element. No gradient flows through it.

    >>> import numpy as np
    >>> ceil(np.array([-1.5, 1.5])).array.tolist()
    [-1.0, 2.0]
    """
    require_array("ceil", "x", x)
    return Ceil().apply((as_array(x),))[0]


def fix(x: Any) -> Variable:
    """x rounded to an integer towards 0, element by element. No gradient flows through it.

    >>> import numpy as np
    >>> fix(np.array([-1.5, 1.5])).array.tolist()
    [-1.0, 1.0]
    """
    require_array("fix", "x", x)
    return Fix().apply((as_array(x),))[0]


def sign(x: Any) -> Variable:
    """-1, 0 or 1, element by element. No gradient flows through it.

    >>> import numpy as np
    >>> sign(np.array([-1.5, 0.0])).array.tolist()
    [-1.0, 0.0]
    """
    require_array("sign", "x", x)
    return Sign().apply((as_array(x),))[0]


def fmod(x: Any, divisor: Any) -> Variable:
    """The remainder of ``x / divisor`` with the sign of `x`: ``x - fix(x / divisor) * divisor``, broadcast, exact.

    The gradient is 1 for `x` and ``-fix(x / divisor)`` for `divisor`.

    Args:
        x, divisor: Variables or arrays of one floating dtype; one may be a scalar.

    Raises:
        InvalidType: Dtypes or shapes do not fit.

    >>> import numpy as np
    >>> fmod(np.array([-7.5, 7.5]), 2).array.tolist()
    [-1.5, 1.5]
    """
    return FMod().apply(operands("fmod", "x", x, "divisor", divisor))[0]


class FMod(FunctionNode):
    """Remainder of a division that rounds towards 0."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """The remainder of the absolute values, which is independent of sign conventions, with the sign of `x`."""
        x, divisor = inputs
        require_floating("fmod", "x", x)
        if not same_dtype(divisor, x):
            expected = f"the dtype of x: {describe_array(x)}"
            raise InvalidType("fmod", "divisor", expected, describe_array(divisor))
        try:
            y = get_array_module(x).sign(x) * (abs(x) % abs(divisor))
        except ValueError as error:
            expected = f"a shape that broadcasts with x: {describe_array(x)}"
            raise InvalidType("fmod", "divisor", expected, describe_array(divisor)) from error
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        return (y,)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The quotient is a constant, even where its rounding is uncertain."""
        (x, divisor), (y,) = self.saved_inputs, self.saved_outputs
        return [grad_outputs[0] * ((y - x) / divisor) if i else grad_outputs[0] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same."""
        return self.backward_arrays(target_input_indexes, grad_outputs)


class Step(FunctionNode):
    """A step function. It is applied to arrays, not Variables: no gradient flows through it."""

    def compute(self, xp: Any, x: Array) -> Array:
        """The function on an array; `xp` is the array's namespace."""
        raise NotImplementedError

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute."""
        return (self.compute(get_array_module(inputs[0]), inputs[0]),)


class Floor(Step):
    """Down."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.floor(x)


class Ceil(Step):
    """Up."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.ceil(x)


class Fix(Step):
    """Towards 0."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.trunc(x)


class Sign(Step):
    """The sign."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.sign(x)
