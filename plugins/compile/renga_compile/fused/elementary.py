"""Elementary functions of numbers, written so that numba vectorizes loops over them.

Errors in units in the last place of float32, over all finite numbers: exp 1, log 1, tanh 2, sigmoid 3. In double
precision, exp, log and tanh are the C library's. Polynomials: Moshier, Cephes mathematical library (1992).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

__all__ = ["added", "exp_f4", "exp_f8", "log_f4", "log_f8", "maximum", "minimum", "not_less", "positive"]
__all__ += ["sigmoid_f4", "sigmoid_f8", "sign", "sqrt", "tanh_f4", "tanh_f8"]

f4, i4 = np.float32, np.int32


def _inlined(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    made: Callable[[Callable[..., Any]], Any] = numba.njit(error_model="numpy", forceinline=True, **options)
    return made


@_inlined(fastmath={"reassoc"})
def added(total: Any, x: Any) -> Any:
    """``total + x``, in an order that suits the processor."""
    return total + x


@_inlined()
def maximum(a: Any, b: Any) -> Any:
    """The larger number; NaN if one is NaN."""
    return a if a >= b or a != a else b


@_inlined()
def minimum(a: Any, b: Any) -> Any:
    """The smaller number; NaN if one is NaN."""
    return a if a <= b or a != a else b


@_inlined()
def positive(a: Any) -> Any:
    """1 where ``a > 0``, else 0."""
    return type(a)(a > 0)


@_inlined()
def not_less(a: Any, b: Any) -> Any:
    """1 where ``a >= b``, else 0."""
    return type(a)(a >= b)


@_inlined()
def sign(a: Any) -> Any:
    """1, 0 or -1; NaN of NaN."""
    return type(a)(a > 0) - type(a)(a < 0) if a == a else a


@_inlined()
def sqrt(a: Any) -> Any:
    """The square root."""
    return math.sqrt(a)


@_inlined()
def exp_f4(x: Any) -> Any:
    """``exp(x)`` = 2**n exp(r) with abs(r) <= log(2) / 2."""
    bounded = min(max(x, f4(-104.0)), f4(89.0))
    n = np.floor(bounded * f4(1.44269504088896341) + f4(0.5))
    r = bounded - n * f4(0.693359375)
    r = r - n * f4(-2.12194440e-4)
    p = f4(1.9875691500e-4)
    p = p * r + f4(1.3981999507e-3)
    p = p * r + f4(8.3334519073e-3)
    p = p * r + f4(4.1665795894e-2)
    p = p * r + f4(1.6666665459e-1)
    p = p * r + f4(5.0000001201e-1)
    p = p * r * r + r + f4(1.0)
    whole = i4(n)
    half = whole >> i4(1)
    # In two steps: 2**n itself may not be a normal number.
    low = i4((half + i4(127)) << i4(23)).view(f4)
    high = i4((whole - half + i4(127)) << i4(23)).view(f4)
    return p * low * high if x == x else x


@_inlined()
def exp_f8(x: Any) -> Any:
    """``exp(x)``."""
    return math.exp(x)


@_inlined()
def log_f4(x: Any) -> Any:
    """``log(x)`` = e log(2) + log(1 + m) with 1 + m between sqrt(1 / 2) and sqrt(2)."""
    small = x < f4(1.17549435e-38)  # not a normal number
    scale = f4(8388608.0) if small else f4(1.0)
    bits = f4(x * scale).view(i4)
    e = f4((bits >> i4(23)) - (i4(149) if small else i4(126)))
    m = i4((bits & i4(0x007FFFFF)) | i4(0x3F000000)).view(f4)
    low = m < f4(0.707106781186547524)
    e = e - f4(1.0) if low else e
    m = m + m - f4(1.0) if low else m - f4(1.0)
    z = m * m
    p = f4(7.0376836292e-2)
    p = p * m - f4(1.1514610310e-1)
    p = p * m + f4(1.1676998740e-1)
    p = p * m - f4(1.2420140846e-1)
    p = p * m + f4(1.4249322787e-1)
    p = p * m - f4(1.6668057665e-1)
    p = p * m + f4(2.0000714765e-1)
    p = p * m - f4(2.4999993993e-1)
    p = p * m + f4(3.3333331174e-1)
    y = p * m * z - f4(2.12194440e-4) * e - f4(0.5) * z
    y = m + y + f4(0.693359375) * e
    y = y if x < f4(np.inf) else x
    y = y if x > f4(0.0) else f4(-np.inf)
    return y if x >= f4(0.0) else f4(np.nan)


@_inlined()
def log_f8(x: Any) -> Any:
    """``log(x)``."""
    return math.log(x)


@_inlined()
def tanh_f4(x: Any) -> Any:
    """``tanh(x)``: a polynomial near 0, else computed from exp."""
    z = x * x
    p = f4(-5.70498872745e-3)
    p = p * z + f4(2.06390887954e-2)
    p = p * z + f4(-5.37397155531e-2)
    p = p * z + f4(1.33314422036e-1)
    p = p * z + f4(-3.33332819422e-1)
    near = p * z * x + x
    size = abs(x)
    far = f4(1.0) - f4(2.0) / (exp_f4(size + size) + f4(1.0))
    return near if size < f4(0.625) else (far if x > f4(0.0) else -far)


@_inlined()
def tanh_f8(x: Any) -> Any:
    """``tanh(x)``."""
    return math.tanh(x)


@_inlined()
def sigmoid_f4(x: Any) -> Any:
    """``1 / (1 + exp(-x))``: neither overflows nor loses what is small."""
    e = exp_f4(-abs(x))
    return (f4(1.0) if x >= f4(0.0) else e) / (e + f4(1.0))


@_inlined()
def sigmoid_f8(x: Any) -> Any:
    """``1 / (1 + exp(-x))``: neither overflows nor loses what is small."""
    e = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else e) / (e + 1.0)
