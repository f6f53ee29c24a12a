"""Logarithms that are -inf at 0 without a warning, and products of them with 0 that are 0.

Where a gradient would be infinite, none flows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_core.graph import as_array
from renga_nn.functions import lgamma, log, log1p, where

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["log_beta", "safe_log", "safe_log1p", "weighted", "xlog1py", "xlogy"]

_INFINITY = float("inf")


def safe_log(x: Any) -> Variable:
    """``log(x)``, -inf at 0."""
    zero = as_array(x) == 0
    return where(zero, -_INFINITY, log(where(zero, 1, x)))


def safe_log1p(x: Any) -> Variable:
    """``log(1 + x)``, -inf at -1."""
    end = as_array(x) == -1
    return where(end, -_INFINITY, log1p(where(end, 0, x)))


def xlogy(x: Variable, y: Any) -> Variable:
    """``x log(y)``, 0 where both are 0."""
    return x * safe_log(where((x.array == 0) & (as_array(y) == 0), 1, y))


def xlog1py(x: Variable, y: Any) -> Variable:
    """``x log(1 + y)``, 0 where `x` is 0 and `y` is -1."""
    return x * safe_log1p(where((x.array == 0) & (as_array(y) == -1), 0, y))


def weighted(weight: Variable, logs: Variable) -> Variable:
    """``weight * logs``, 0 where the weight is 0 and the logarithm infinite."""
    return weight * where((weight.array == 0) & ~logs.xp.isfinite(logs.array), 0, logs)


def log_beta(a: Variable, b: Variable) -> Variable:
    """The logarithm of the beta function."""
    return lgamma(a) + lgamma(b) - lgamma(a + b)
