"""Sine, cosine and tangent, and their inverses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import operands, require_floating
from renga_nn.functions.elementwise import Elementwise
from renga_nn.functions.math.exponential import rsqrt

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["arccos", "arcsin", "arctan", "arctan2", "cos", "sin", "tan"]


def sin(x: Any) -> Variable:
    """Sine of angles in radians, element by element.

    >>> import numpy as np
    >>> sin(np.array([0.0, np.pi / 2])).array.tolist()
    [0.0, 1.0]
    """
    return Sin().apply((x,))[0]


def cos(x: Any) -> Variable:
    """Cosine of angles in radians, element by element.

    >>> import numpy as np
    >>> cos(np.array([0.0, np.pi])).array.tolist()
    [1.0, -1.0]
    """
    return Cos().apply((x,))[0]


def tan(x: Any) -> Variable:
    """Tangent of angles in radians, element by element.

    >>> import numpy as np
    >>> tan(np.array([0.0, np.pi / 4])).array.round(4).tolist()
    [0.0, 1.0]
    """
    return Tan().apply((x,))[0]


def arcsin(x: Any) -> Variable:
    """The angle from -π/2 to π/2 whose sine is x; NaN outside [-1, 1]. The gradient is infinite at -1 and 1.

    >>> import numpy as np
    >>> arcsin(np.array([0.0, 0.5])).array.round(4).tolist()
    [0.0, 0.5236]
    """
    return ArcSin().apply((x,))[0]


def arccos(x: Any) -> Variable:
    """The angle from 0 to π whose cosine is x; NaN outside [-1, 1]. The gradient is infinite at -1 and 1.

    >>> import numpy as np
    >>> arccos(np.array([1.0, 0.5])).array.round(4).tolist()
    [0.0, 1.0472]
    """
    return ArcCos().apply((x,))[0]


def arctan(x: Any) -> Variable:
    """The angle from -π/2 to π/2 whose tangent is x, element by element.

    >>> import numpy as np
    >>> arctan(np.array([0.0, 1.0])).array.round(4).tolist()
    [0.0, 0.7854]
    """
    return ArcTan().apply((x,))[0]


def arctan2(x1: Any, x2: Any) -> Variable:
    """The angle from -π to π of the point with ordinate `x1` and abscissa `x2`, element by element, broadcast.

    Args:
        x1, x2: Variables or arrays of one floating dtype; one may be a scalar.

    Raises:
        InvalidType: Dtypes or shapes do not fit.

    >>> import numpy as np
    >>> arctan2(np.array([1.0, 1.0]), np.array([1.0, -1.0])).array.round(4).tolist()
    [0.7854, 2.3562]
    """
    return ArcTan2().apply(operands("arctan2", "x1", x1, "x2", x2))[0]


class Sin(Elementwise):
    """sin."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.sin(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * xp.cos(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * cos(kept)


class Cos(Elementwise):
    """cos."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.cos(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy * -xp.sin(kept)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * -sin(kept)


class Tan(Elementwise):
    """tan; the derivative is ``1 + y**2``."""

    keeps_output = True

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.tan(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * (kept * kept + 1)


class ArcSin(Elementwise):
    """arcsin; the derivative is ``1 / sqrt(1 - x**2)``, as factors that are accurate near -1 and 1."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.arcsin(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return gy / xp.sqrt((1 - kept) * (1 + kept))

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy * rsqrt((1 - kept) * (1 + kept))


class ArcCos(Elementwise):
    """arccos; the derivative is the negative derivative of arcsin."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.arccos(x)

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        return -gy / xp.sqrt((1 - kept) * (1 + kept))

    def gradient(self, kept: Any, gy: Any) -> Any:
        return -gy * rsqrt((1 - kept) * (1 + kept))


class ArcTan(Elementwise):
    """arctan; the derivative is ``1 / (1 + x**2)``."""

    def compute(self, xp: Any, x: Array) -> Array:
        return xp.arctan(x)

    def gradient(self, kept: Any, gy: Any) -> Any:
        return gy / (kept * kept + 1)


class ArcTan2(FunctionNode):
    """arctan2; the derivatives are ``x2 / (x1**2 + x2**2)`` and ``-x1 / (x1**2 + x2**2)``."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the angle; keep both inputs."""
        x1, x2 = inputs
        require_floating("arctan2", "x1", x1)
        if not same_dtype(x2, x1):
            raise InvalidType("arctan2", "x2", f"the dtype of x1: {describe_array(x1)}", describe_array(x2))
        self.retain_inputs((0, 1))
        try:
            return (get_backend(x1).xp.arctan2(x1, x2),)
        except ValueError as error:
            expected = f"a shape that broadcasts with x1: {describe_array(x1)}"
            raise InvalidType("arctan2", "x2", expected, describe_array(x2)) from error

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Perpendicular to the direction of the point."""
        return self._gradients(self.saved_inputs, target_input_indexes, grad_outputs[0])

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same on Variables."""
        return self._gradients(self.get_retained_inputs(), target_input_indexes, grad_outputs[0])

    def _gradients(self, xs: Sequence[Any], targets: tuple[int, ...], gy: Any) -> list[Any]:
        x1, x2 = xs
        common = gy / (x1 * x1 + x2 * x2)
        return [-x1 * common if i else x2 * common for i in targets]
