"""Special functions that ONNX lacks, written as arithmetic in float64.

Sources: Abramowitz and Stegun, *Handbook of Mathematical Functions*, 6.1.17, 6.1.41, 6.3.7, 6.3.18 (gamma functions, by
Stirling's series after the recurrence) and 23.2.7 (zeta, by Euler's and Maclaurin's sum); Giles, *Approximating the
erfinv function*, GPU Computing Gems 2, 2011 (float32). For erfcx a polynomial was fitted here: largest relative error
1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from renga_nn.functions.math import error_function, gamma_function, normal_distribution
from renga_onnx.exporting.call import Call

__all__ = ["CONVERTERS", "SPECIAL"]

_ERFCX = (
    *(-0.6717940840570037, 0.6726432239971851, 0.047343306903956946, -0.046895611438872366, -0.009872691406300682),
    *(0.008824960628500512, 0.001758959514578556, -0.002345997728569234, -0.0001464140171992945),
    *(0.0006745333080736965, -9.312056365213495e-05, -0.00017667115867930997, 7.004264125843744e-05),
    *(3.5859114139665245e-05, -2.8380725727690456e-05, -4.3918503674127756e-06, 7.222510944366034e-06),
    *(1.5687012181322568e-07, -9.02543489320221e-07),
)
"""Coefficients of ``log(erfcx(z) / t)`` in powers of ``2 t - 1``, with ``t = 2 / (2 + z)``, for z ≥ 0."""

_NEAR = (
    *(1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087, -4.39150654e-06, -3.5233877e-06),
    *(3.43273939e-07, 2.81022636e-08),
)
_FAR = (
    *(2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773, -0.00367342844, 0.00134934322),
    *(0.000100950558, -0.000200214257),
)
"""Coefficients of ``erfinv(x) / x`` in powers of ``w - 2.5``; of ``sqrt(w) - 3`` if w, ``-log(1 - x²)``, is ≥ 5."""

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""The Bernoulli numbers B₂, B₄, B₆, …"""

_STEPS = 10
"""Number of recurrence steps after which the series are exact to 1e-13."""


class _Double:
    """Arithmetic in float64, on names of arrays and on numbers."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def __call__(self, op_type: str, *operands: str | float) -> str:
        return self.call.op(op_type, [self.name(x) for x in operands])

    def name(self, x: str | float) -> str:
        return x if isinstance(x, str) else self.call.constant(x, np.float64)

    def where(self, condition: str, x: str | float, y: str | float) -> str:
        return self.call.op("Where", [condition, self.name(x), self.name(y)])

    def sum(self, *terms: str | float) -> str:
        total = self.name(terms[0])
        for term in terms[1:]:
            total = self("Add", total, term)
        return total

    def polynomial(self, coefficients: Sequence[float], x: str) -> str:
        """Evaluate a polynomial by Horner's rule."""
        y = self.name(coefficients[-1])
        for c in coefficients[-2::-1]:
            y = self("Add", self("Mul", y, x), c)
        return y


def _of_double(formula: Callable[..., str]) -> Callable[[Call], None]:
    """Return a converter that computes in float64, with casts of inputs and output."""

    def convert(call: Call) -> None:
        names = [call.cast(name, np.float64) for name in call.inputs]
        call.cast(formula(_Double(call), *names), call.y.dtype, call.outputs)

    return convert


def _erfcx(f: _Double, x: str) -> str:
    z = f("Abs", x)
    t = f("Div", 2.0, f("Add", z, 2.0))
    log = f.polynomial(_ERFCX, f("Sub", f("Mul", t, 2.0), 1.0))
    y = f("Mul", t, f("Exp", log))
    below = f("Sub", f("Mul", f("Exp", f("Mul", x, x)), 2.0), y)
    return f.where(f("Less", x, 0.0), below, y)


def _erfc(f: _Double, x: str) -> str:
    z = f("Abs", x)
    y = f("Mul", f("Exp", f("Neg", f("Mul", z, z))), _erfcx(f, z))
    return f.where(f("Less", x, 0.0), f("Sub", 2.0, y), y)


def _erf(f: _Double, x: str) -> str:
    return f("Sub", 1.0, _erfc(f, x))


def _inverse(f: _Double, x: str, w: str) -> str:
    """erfinv of x, with ``w = -log(1 - x²)``."""
    near = f.polynomial(_NEAR, f("Sub", w, 2.5))
    far = f.polynomial(_FAR, f("Sub", f("Sqrt", w), 3.0))
    return f("Mul", x, f.where(f("Less", w, 5.0), near, far))


def _erfcinv(f: _Double, x: str) -> str:
    other = f("Sub", 2.0, x)
    w = f("Neg", f("Log", f("Mul", x, other)))
    y = _inverse(f, f("Sub", 1.0, x), w)
    y = f.where(f("Equal", x, 0.0), math.inf, y)
    return f.where(f("Equal", other, 0.0), -math.inf, y)


def _erfinv(f: _Double, x: str) -> str:
    w = f("Neg", f("Log", f("Mul", f("Sub", 1.0, x), f("Add", 1.0, x))))
    y = _inverse(f, x, w)
    return f.where(f("Equal", f("Abs", x), 1.0), f("Mul", x, math.inf), y)


def _ndtr(f: _Double, x: str) -> str:
    return f("Mul", _erfc(f, f("Mul", x, -math.sqrt(0.5))), 0.5)


def _ndtri(f: _Double, x: str) -> str:
    return f("Mul", _erfcinv(f, f("Mul", x, 2.0)), -math.sqrt(2))


def _log_ndtr(f: _Double, x: str) -> str:
    z = f("Mul", f("Abs", x), math.sqrt(0.5))
    small = f("Mul", _erfcx(f, z), 0.5)
    square = f("Mul", z, z)
    below = f("Sub", f("Log", small), square)
    above = f("Log", f("Sub", 1.0, f("Mul", small, f("Exp", f("Neg", square)))))
    return f.where(f("Less", x, 0.0), below, above)


def _lgamma(f: _Double, x: str) -> str:
    low = f("Less", x, 0.5)
    z = f.where(low, f("Sub", 1.0, x), x)
    product = z
    for k in range(1, _STEPS):
        product = f("Mul", product, f("Add", z, float(k)))
    far = f("Add", z, float(_STEPS))
    inverse = f("Reciprocal", far)
    series = f.polynomial([b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1)], f("Mul", inverse, inverse))
    stirling = f.sum(
        f("Mul", f("Sub", far, 0.5), f("Log", far)), f("Neg", far), math.log(2 * math.pi) / 2, f("Mul", series, inverse)
    )
    y = f("Sub", stirling, f("Log", product))
    # sin(π x), with x reduced by an integer: at integers it is 0, and the result infinite.
    sine = f("Abs", f("Sin", f("Mul", f("Sub", x, f("Floor", x)), math.pi)))
    return f.where(low, f("Sub", f("Log", f("Div", math.pi, sine)), y), y)


def _digamma(f: _Double, x: str) -> str:
    low = f("Less", x, 0.5)
    z = f.where(low, f("Sub", 1.0, x), x)
    far = f("Add", z, float(_STEPS))
    inverse = f("Reciprocal", far)
    squared = f("Mul", inverse, inverse)
    series = f.polynomial([b / (2 * k) for k, b in enumerate(_BERNOULLI, 1)], squared)
    y = f("Sub", f("Sub", f("Log", far), f("Mul", inverse, 0.5)), f("Mul", series, squared))
    for k in range(_STEPS):
        y = f("Sub", y, f("Reciprocal", f("Add", z, float(k))))
    rest = f("Sub", x, f("Floor", x))
    angle = f("Mul", rest, math.pi)
    reflected = f("Sub", y, f("Div", f("Mul", f("Cos", angle), math.pi), f("Sin", angle)))
    y = f.where(low, reflected, y)
    pole = f("And", f("Equal", rest, 0.0), f("LessOrEqual", x, 0.0))
    return f.where(pole, math.nan, y)


def _zeta(f: _Double, s: str, q: str) -> str:
    powers = [f("Pow", f("Add", q, float(k)), f("Neg", s)) for k in range(_STEPS)]
    far = f("Add", q, float(_STEPS))
    last = f("Pow", far, f("Neg", s))
    rest = f.sum(f("Div", f("Mul", last, far), f("Sub", s, 1.0)), f("Mul", last, 0.5))
    factor, power = s, f("Div", last, far)
    for k, b in enumerate(_BERNOULLI, 1):
        term = f("Mul", f("Mul", factor, power), b / math.factorial(2 * k))
        rest = f("Add", rest, term)
        two = f("Mul", f("Add", s, 2.0 * k - 1), f("Add", s, 2.0 * k))
        factor, power = f("Mul", factor, two), f("Div", power, f("Mul", far, far))
    return f("Add", f.sum(*powers), rest)


def _polygamma(f: _Double, n: str, x: str) -> str:
    s = f("Add", n, 1.0)
    value = f("Mul", f("Mul", _alternating(f, s), f("Exp", _lgamma(f, s))), _zeta(f, s, x))
    return f.where(f("Equal", n, 0.0), _digamma(f, x), value)


def _alternating(f: _Double, s: str) -> str:
    """1 for even numbers, -1 for odd ones."""
    half = f("Mul", s, 0.5)
    return f.where(f("Equal", half, f("Floor", half)), 1.0, -1.0)


def _with_constant(formula: Callable[..., str]) -> Callable[[Call], None]:
    """Return a converter for a function whose first argument is an array that it holds."""

    def convert(call: Call) -> None:
        first = call.cast(call.array(call.function.constant, call.other.constant), np.float64)
        second = call.cast(call.inputs[0], np.float64)
        call.cast(formula(_Double(call), first, second), call.y.dtype, call.outputs)

    return convert


_FORMULAS: dict[str, Callable[..., str]] = {
    "erf": _erf,
    "erfc": _erfc,
    "erfcx": _erfcx,
    "erfinv": _erfinv,
    "erfcinv": _erfcinv,
    "ndtr": _ndtr,
    "ndtri": _ndtri,
    "log_ndtr": _log_ndtr,
    "gammaln": _lgamma,
    "digamma": _digamma,
    "polygamma": _polygamma,
    "zeta": _zeta,
}

SPECIAL = {name: _of_double(formula) for name, formula in _FORMULAS.items()}
"""Converters by SciPy's names."""

CONVERTERS = {
    error_function.Erfc: SPECIAL["erfc"],
    error_function.Erfcx: SPECIAL["erfcx"],
    error_function.Erfinv: SPECIAL["erfinv"],
    error_function.Erfcinv: SPECIAL["erfcinv"],
    normal_distribution.Ndtr: SPECIAL["ndtr"],
    normal_distribution.Ndtri: SPECIAL["ndtri"],
    normal_distribution.LogNdtr: SPECIAL["log_ndtr"],
    gamma_function.LGamma: SPECIAL["gammaln"],
    gamma_function.Digamma: SPECIAL["digamma"],
    gamma_function.Polygamma: _with_constant(_polygamma),
    gamma_function.Zeta: _with_constant(_zeta),
}
