"""The discrete Fourier transform, with complex numbers as pairs of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_same

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["fft", "ifft"]


def fft(x: Sequence[Any]) -> tuple[Variable, Variable]:
    """The discrete Fourier transform along the last axis: ``y[k] = sum_n x[n] exp(-2πi k n / N)``.

    Args:
        x: Real and imaginary part: Variables or arrays of the same shape, with at least one axis, and floating dtype.

    Returns:
        Real and imaginary part.

    Raises:
        InvalidType: Shapes or dtypes do not fit, there are not two parts, or the last axis is empty.

    >>> import numpy as np
    >>> real, imag = fft((np.array([0.0, 1.0, 0.0, 0.0]), np.zeros(4)))
    >>> imag.array.tolist()
    [0.0, -1.0, 0.0, 1.0]
    """
    real, imag = _parts("fft", x)
    y = Fft().apply((real, imag))
    return y[0], y[1]


def ifft(x: Sequence[Any]) -> tuple[Variable, Variable]:
    """The inverse of `fft`: ``y[n] = 1/N sum_k x[k] exp(2πi k n / N)``. Arguments, results and errors as there.

    >>> import numpy as np
    >>> real, imag = ifft((np.array([1.0, 1.0]), np.zeros(2)))
    >>> real.array.tolist()
    [1.0, 0.0]
    """
    real, imag = _parts("ifft", x)
    y = Ifft().apply((real, imag))
    return y[0], y[1]


class Transform(FunctionNode):
    """A transform; the gradient is the other one, up to a factor."""

    def transform(self, xp: Any, x: Array) -> Array:
        """On complex arrays."""
        raise NotImplementedError

    def transposed(self, x: Sequence[Any], number: int) -> list[Any]:
        """The adjoint, on Variables."""
        raise NotImplementedError

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """By the library's transform; half precision is computed in float32."""
        real, imag = inputs
        if not real.size:  # some libraries cannot transform empty arrays
            return real.copy(), imag.copy()
        xp = get_array_module(real)
        dtype = np.result_type(real.dtype, np.complex64)
        y = self.transform(xp, real.astype(dtype) + imag.astype(dtype) * 1j)
        return tuple([part.astype(real.dtype) for part in (xp.real(y), xp.imag(y))])

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Real and imaginary part of the gradient are a complex number, too."""
        real, imag = grad_outputs
        some = imag if real is None else real
        nothing = get_array_module(some).zeros_like(some.array)
        gy = (nothing if real is None else real, nothing if imag is None else imag)
        gx = self.transposed(gy, self.inputs[0].shape[-1])
        return [gx[i] for i in target_input_indexes]


class Fft(Transform):
    """Forward transform."""

    def transform(self, xp: Any, x: Array) -> Array:
        return xp.fft.fft(x)

    def transposed(self, x: Sequence[Any], number: int) -> list[Any]:
        return [part * number for part in ifft(x)]


class Ifft(Transform):
    """Inverse transform."""

    def transform(self, xp: Any, x: Array) -> Array:
        return xp.fft.ifft(x)

    def transposed(self, x: Sequence[Any], number: int) -> list[Any]:
        return [part / number for part in fft(x)]


def _parts(function: str, x: Sequence[Any]) -> tuple[Any, Any]:
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        given = f"{len(x)} of them" if isinstance(x, (tuple, list)) else describe_array(x)
        raise InvalidType(function, "x", "a pair of arrays, real and imaginary part", given)
    real, imag = x
    require_same(function, "real part", real, "imaginary part", imag)
    if real.ndim == 0 or real.shape[-1] == 0:
        raise InvalidType(function, "real part", "at least one element along the last axis", describe_array(real))
    return real, imag
