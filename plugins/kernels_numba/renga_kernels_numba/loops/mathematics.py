"""Exponential and related functions of float32, which the compiler computes for 16 numbers at once.

They are polynomials on a short interval, fitted by weighted least squares, with the rest of the range brought there by
exact steps. NaN stays NaN, and infinities have their limits. Greatest errors in units in the last place, over all
float32 numbers of some interval, are in tests/kernels_numba/test_mathematics.py: `exp` 1, `erf` 1, `tanh` 1.4,
`sigmoid` 2.5.
"""

from __future__ import annotations

import numpy as np

from renga_kernels_numba.loops.intrinsics import Float, bits, from_bits, inline

__all__ = ["erf", "exp", "sigmoid", "tanh"]

_ONE = np.float32(1)
_ZERO = np.float32(0)
_TWO = np.float32(2)
_INFINITY = np.float32(np.inf)

_PER_LOG_2 = np.float32(1.44269504)
_LOG_2 = np.float32(0.693359375)
"""log 2, in so few bits that a multiple of up to 128 is exact; `_LOG_2_REST` is the rest."""
_LOG_2_REST = np.float32(-2.12194440e-4)
_ROUND = np.float32(12582912)
"""1.5 · 2²³: a number between -2²² and 2²² that is added to it is rounded to a whole number."""

_HIGHEST = np.float32(88.72283)
_LOWEST = np.float32(-87.33654)
"""Between these the exponential is finite, and not so small that float32 has fewer bits for it."""


@inline
def exp(x: Float) -> Float:
    """e to the power of x: 2ⁿ·eʳ with a whole n and |r| ≤ ½ log 2. Below -87.3, where float32 loses bits, it is 0."""
    shifted = x * _PER_LOG_2 + _ROUND
    n = shifted - _ROUND
    r = (x - n * _LOG_2) - n * _LOG_2_REST
    p = np.float32(0.0013813142431899905)
    p = p * r + np.float32(0.008369418792426586)
    p = p * r + np.float32(0.04166845604777336)
    p = p * r + np.float32(0.16666515171527863)
    p = p * r + np.float32(0.4999999403953552)
    y = r * r * p + r + _ONE
    y = from_bits(np.int32(bits(y) + (bits(shifted) << 23)))  # n is in the last bits of `shifted`
    y = _ZERO if x < _LOWEST else y
    y = _INFINITY if x > _HIGHEST else y
    return y if x == x else x


@inline
def tanh(x: Float) -> Float:
    """Hyperbolic tangent: an odd polynomial up to 0.625, beyond it 1 - 2 / (e²ˣ + 1)."""
    size = abs(x)
    s = x * x
    p = np.float32(-0.005704978480935097)
    p = p * s + np.float32(0.020639078691601753)
    p = p * s + np.float32(-0.05373971164226532)
    p = p * s + np.float32(0.13331441581249237)
    p = p * s + np.float32(-0.3333328068256378)
    near = p * s * x + x if s > _ZERO else x  # -0 stays -0
    far = _ONE - _TWO / (exp(_TWO * size) + _ONE)
    far = -far if x < _ZERO else far
    return near if size < np.float32(0.625) else far


@inline
def erf(x: Float) -> Float:
    """Error function: an odd polynomial up to 1, beyond it 1 - exp(-q(|x|)) with a polynomial q."""
    size = abs(x)
    s = x * x
    p = np.float32(7.853857823647559e-05)
    p = p * s + np.float32(-0.0008010192541405559)
    p = p * s + np.float32(0.005188327748328447)
    p = p * s + np.float32(-0.026853810995817184)
    p = p * s + np.float32(0.1128358542919159)
    p = p * s + np.float32(-0.3761262595653534)
    p = p * s + np.float32(0.128379166)
    near = p * x + x
    t = np.float32(4) if size > np.float32(4) else size  # erf(4) is 1 in float32
    q = np.float32(-0.0001863800862338394)
    q = q * t + np.float32(0.0029476669151335955)
    q = q * t + np.float32(-0.021838096901774406)
    q = q * t + np.float32(0.10310681909322739)
    q = q * t + np.float32(0.6381447315216064)
    q = q * t + np.float32(1.127089262008667)
    q = q * t + np.float32(0.00034151258296333253)
    far = _ONE - exp(-q)
    far = -far if x < _ZERO else far
    return near if size < _ONE else far


@inline
def sigmoid(x: Float) -> Float:
    """1 / (1 + e⁻ˣ); of the two forms, the one that does not overflow."""
    e = exp(-abs(x))
    return (_ONE if x >= _ZERO else e) / (_ONE + e)
