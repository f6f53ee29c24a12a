"""Updates of optimizers, and moving averages: one launch changes hundreds of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np

from renga_backend_cupy.kernels.many_arrays import ManyArrays
from renga_core.backend import Array

__all__ = [
    "AdamUpdate",
    "CorrectedMomentumSGDUpdate",
    "Divide",
    "MomentumSGDUpdate",
    "MovingAverageUpdate",
    "NesterovAGUpdate",
    "RMSpropUpdate",
    "SGDUpdate",
    "Widen",
    "supports_adam",
    "supports_halves",
    "supports_momentum",
    "supports_moving_average",
    "supports_rmsprop",
    "supports_sgd",
    "supports_widen",
]

_HALVES = ("float16", "bfloat16")


class Update(ManyArrays):
    """An update of arrays in float32 or float64.

    Args:
        name, lists, numbers, body, constants, of_rows: See `ManyArrays`.

    Attributes:
        half: The same update of parameters in half precision through their float32 copies; for optimizers.
    """

    half: HalfUpdate

    def __init__(
        self,
        name: str,
        lists: Sequence[str],
        numbers: Sequence[str],
        body: str,
        constants: str = "",
        of_rows: Sequence[str] = (),
    ) -> None:
        kinds = {dtype: (kind,) * (len(lists) + 1) for dtype, kind in (("float32", "float"), ("float64", "double"))}
        super().__init__(f"{name}_update", lists, numbers, kinds, body, constants, of_rows)
        if lists[0] == "param":
            self.half = HalfUpdate(name, lists, numbers, body, constants)


class HalfUpdate(ManyArrays):
    """An update of parameters in half precision, their gradients (divided by a number first) and float32 copies."""

    def __init__(self, name: str, lists: Sequence[str], numbers: Sequence[str], body: str, constants: str) -> None:
        _, _, *states = lists
        floats = ("float",) * (len(states) + 1)
        kinds = {f"{half}_{half}": ("float", half, half, *floats) for half in _HALVES}
        kinds |= {f"{half}_float32": ("float", half, "float", *floats) for half in _HALVES}
        # Where the parameter is not its rounded copy, the program has changed it.
        body = (
            "if (!((float)(typename K::half)param == (float)half)) param = (float)half; "
            f"{{ const T scaled = (T)grad / divisor; const T grad = scaled; {body} }} "
            "half = (typename K::half)param;"
        )
        lists = ("half", "grad", "param", *states)
        super().__init__(f"{name}_update_fp32", lists, (*numbers, "divisor"), kinds, body, constants)

    def kind_of(self, row: tuple[Array, ...]) -> str:
        """The dtypes of the parameter and of its gradient."""
        return f"{row[0].dtype.name}_{row[1].dtype.name}"


class WidenArrays(ManyArrays):
    """Copies of arrays in half precision, divided by a number."""

    def __init__(self) -> None:
        kinds: dict[str, tuple[str, ...]] = {half: ("float", "float", half) for half in _HALVES}
        super().__init__("widen", ("copy", "value"), ("divisor",), kinds, "copy = (T)value / divisor;")

    def kind_of(self, row: tuple[Array, ...]) -> str:
        """The dtype in half precision."""
        return str(row[1].dtype.name)


def _alike(param: Array, *others: Array) -> bool:
    """Whether these are arrays of one shape, all in single or all in double precision."""
    return param.dtype.name in ("float32", "float64") and all(
        x.dtype == param.dtype and x.shape == param.shape for x in others
    )


def supports_halves(param: Array, grad: Array, copy: Array, *rest: Any) -> bool:
    """Whether the parameter is in half precision, its gradient too or in float32, and the others in float32."""
    wide = [copy, *(x for x in rest if isinstance(x, cupy.ndarray))]
    return (
        param.dtype.name in _HALVES
        and grad.dtype in (param.dtype, np.float32)
        and all(x.dtype == np.float32 for x in wide)
        and all(x.shape == param.shape for x in (grad, *wide))
    )


def supports_widen(copy: Array, array: Array, divisor: float) -> bool:
    """Whether these are an array of float32 and one in half precision, of one shape."""
    return copy.dtype == np.float32 and array.dtype.name in _HALVES and copy.shape == array.shape


def supports_sgd(param: Array, grad: Array, rate: float) -> bool:
    """Whether these are arrays of one shape, all in single or all in double precision."""
    return _alike(param, grad)


def supports_moving_average(running: Array, value: Array, factor: float, decay: float) -> bool:
    """Like `supports_sgd`."""
    return _alike(running, value)


def supports_momentum(param: Array, grad: Array, v: Array, momentum: float, rate: float) -> bool:
    """Like `supports_sgd`."""
    return _alike(param, grad, v)


def supports_rmsprop(param: Array, grad: Array, ms: Array, alpha: float, eps: float, rate: float) -> bool:
    """Like `supports_sgd`."""
    return _alike(param, grad, ms)


def supports_adam(
    param: Array, grad: Array, m: Array, v: Array, beta1: float, beta2: float, eps: float, rate: float, keep: float
) -> bool:
    """Like `supports_sgd`."""
    return _alike(param, grad, m, v)


_MOMENTUM = ("param", "grad", "v"), ("momentum", "rate")

SGDUpdate = Update("sgd", ("param", "grad"), ("rate",), "param -= rate * grad;")
MomentumSGDUpdate = Update("momentum_sgd", *_MOMENTUM, "v = v * momentum - rate * grad; param += v;")
CorrectedMomentumSGDUpdate = Update("corrected_momentum_sgd", *_MOMENTUM, "v = v * momentum - grad; param += rate * v;")
NesterovAGUpdate = Update(
    "nesterov_ag",
    *_MOMENTUM,
    "const T step = rate * grad; v = v * momentum - step; param = param - step + momentum * v;",
)
MovingAverageUpdate = Update(
    "moving_average",
    ("running", "value"),
    ("decay",),
    "running = running * decay + rest * (value * factor);",
    "const T rest = (T)(1 - numbers.decay);",
    of_rows=("factor",),
)
Divide = ManyArrays(
    "divide",
    ("array",),
    ("divisor",),
    {dtype: (kind, kind) for dtype, kind in (("float32", "float"), ("float64", "double"))},
    "array = array / divisor;",
)
Widen = WidenArrays()
RMSpropUpdate = Update(
    "rmsprop",
    ("param", "grad", "ms"),
    ("alpha", "eps", "rate"),
    "ms = ms * alpha + rest * grad * grad; param -= rate * grad / (sqrt(ms) + eps);",
    "const T rest = (T)(1 - numbers.alpha);",
)
AdamUpdate = Update(
    "adam",
    ("param", "grad", "m", "v"),
    ("beta1", "beta2", "eps", "rate", "keep"),
    "m = m * beta1 + rest1 * grad; v = v * beta2 + rest2 * grad * grad; "
    "param = param * keep - m / (sqrt(v) + eps) * rate;",
    "const T rest1 = (T)(1 - numbers.beta1), rest2 = (T)(1 - numbers.beta2);",
)
