"""Elementwise arithmetic, comparison, logic, mathematical functions."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from operator import and_, eq, ge, gt, le, lt, or_, xor
from typing import Any

from renga_core.backend import get_array_module
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import is_float, nearest, number, raw, same_as

__all__: list[str] = []


def _floating(**functions: Callable[[Any], Any]) -> None:
    """Operators of one floating input."""
    for name, function in functions.items():
        _enter_floating(name, function)


def _enter_floating(name: str, function: Callable[[Any], Any]) -> None:
    @operator(name)
    def compute(x: Any) -> Any:
        return function(x)


_floating(
    Exp=F.exp, Log=F.log, Sqrt=F.sqrt, Ceil=F.ceil, Floor=F.floor, Erf=F.erf,
    Sin=F.sin, Cos=F.cos, Tan=F.tan, Asin=F.arcsin, Acos=F.arccos, Atan=F.arctan, Sinh=F.sinh, Cosh=F.cosh,
    Atanh=F.arctanh,
)  # fmt: skip


@operator("Abs")
def absolute(x: Any) -> Any:
    """``|x|``."""
    return abs(x)


@operator("Neg")
def negative(x: Any) -> Any:
    """``-x``."""
    return -x


@operator("Sign")
def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return F.sign(x) if is_float(x) else get_array_module(x).sign(x)


@operator("Reciprocal")
def reciprocal(x: Any) -> Any:
    """``1 / x``."""
    return 1 / x


@operator("Asinh")
def arcsinh(x: Any) -> Any:
    """Computed from the logarithm, of ``|x|``, to avoid cancellation."""
    a = abs(x)
    return F.sign(x) * F.log1p(a + a * a / (1 + F.sqrt(a * a + 1)))


@operator("Acosh")
def arccosh(x: Any) -> Any:
    """Computed from the logarithm."""
    t = x - 1
    return F.log1p(t + F.sqrt(t * (t + 2)))


@operator("Round")
def rounded(x: Any) -> Any:
    """Round to the nearest integer, halves to the even one. The gradient is zero."""
    return nearest(raw(x))


@operator("Add")
def add(a: Any, b: Any) -> Any:
    """``a + b``."""
    return a + b


@operator("Sub")
def subtract(a: Any, b: Any) -> Any:
    """``a - b``."""
    return a - b


@operator("Mul")
def multiply(a: Any, b: Any) -> Any:
    """``a * b``."""
    return a * b


@operator("Div")
def divide(a: Any, b: Any) -> Any:
    """``a / b``; integers are rounded towards zero."""
    if is_float(a):
        return a / b
    xp = get_array_module(a)
    quotient = a // b
    if a.dtype.kind == "u":
        return quotient
    return xp.where((quotient < 0) & (quotient * b != a), quotient + 1, quotient).astype(a.dtype)


@operator("Mod")
def modulo(a: Any, b: Any, *, fmod: int = 0) -> Any:
    """Remainder, with the sign of `a` if `fmod`, else of `b`."""
    if fmod:
        return F.fmod(a, b) if is_float(a) else a - divide(a, b) * b
    if is_float(a) and (a.requires_grad or b.requires_grad):
        return a - b * F.floor(a / b)
    return raw(a) % raw(b)


@operator("Pow")
def power(x: Any, y: Any) -> Any:
    """``x ** y``, in the dtype of x."""
    if is_float(x):
        return x ** (F.cast(y, x.dtype) if is_float(y) else y.astype(x.dtype))
    return (x ** raw(y)).astype(x.dtype)


@operator("Sum")
def total(*xs: Any) -> Any:
    """The sum of all inputs, broadcast."""
    return functools.reduce(lambda a, b: a + b, xs)


@operator("Mean")
def mean(*xs: Any) -> Any:
    """The mean of all inputs, broadcast."""
    return total(*xs) / len(xs)


def _extreme(function: Callable[[Any, Any], Any], name: str, xs: tuple[Any, ...]) -> Any:
    if is_float(xs[0]):
        return functools.reduce(function, xs)
    return functools.reduce(getattr(get_array_module(xs[0]), name), xs)


@operator("Max")
def largest(*xs: Any) -> Any:
    """The largest of all inputs, broadcast."""
    return _extreme(F.maximum, "maximum", xs)


@operator("Min")
def smallest(*xs: Any) -> Any:
    """The smallest of all inputs, broadcast."""
    return _extreme(F.minimum, "minimum", xs)


@operator("Clip", host=(1, 2))
def clip(x: Any, low: Any = None, high: Any = None) -> Any:
    """Clip to limits; if they cross, the upper one applies."""
    for limit, of_floats, of_others in ((low, F.maximum, "maximum"), (high, F.minimum, "minimum")):
        if limit is not None:
            bound = same_as(x, number(limit))
            x = of_floats(x, bound) if is_float(x) else getattr(get_array_module(x), of_others)(x, bound)
    return x


@operator("Where")
def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition is true, else `y`, all broadcast."""
    return F.where(condition, x, y) if is_float(x) else get_array_module(x).where(condition, x, y)


def _comparisons(**functions: Callable[[Any, Any], Any]) -> None:
    """Operators of two inputs without floating-point results: Python's operators on arrays."""
    for name, function in functions.items():
        _enter_comparison(name, function)


def _enter_comparison(name: str, function: Callable[[Any, Any], Any]) -> None:
    @operator(name)
    def compute(a: Any, b: Any) -> Any:
        return function(raw(a), raw(b))


_comparisons(
    Equal=eq, Greater=gt, GreaterOrEqual=ge, Less=lt, LessOrEqual=le, And=and_, Or=or_, Xor=xor,
    BitwiseAnd=and_, BitwiseOr=or_, BitwiseXor=xor,
)  # fmt: skip


@operator("Not")
def negated(x: Any) -> Any:
    """Logical not."""
    return ~x


@operator("BitwiseNot")
def inverted(x: Any) -> Any:
    """Bitwise not."""
    return ~x


@operator("BitShift")
def shifted(x: Any, y: Any, *, direction: str) -> Any:
    """Shift bits ``"LEFT"`` or ``"RIGHT"``."""
    return x << y if direction == "LEFT" else x >> y


@operator("IsNaN")
def is_nan(x: Any) -> Any:
    """Where x is NaN."""
    return get_array_module(x).isnan(raw(x))


@operator("IsInf")
def is_infinite(x: Any, *, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    """Where x is infinite, with one sign or both."""
    array = raw(x)
    found = abs(array) == math.inf
    if not detect_negative:
        found = found & (array > 0)
    return found if detect_positive else found & (array < 0)
