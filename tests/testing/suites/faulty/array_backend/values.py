"""Array backends that are each wrong in one way, in values that are not plain."""

import numpy as np

from .right import Right


def _last_argmax(x, axis=None):
    x = np.asarray(x)
    return np.asarray(x.shape[axis] - 1 - np.argmax(np.flip(x, axis), axis))


class LastOfEqual(Right):
    """argmax takes the last of equal elements"""

    replaced = {"argmax": _last_argmax}
    breaks = "test_ties"


class DropsNan(Right):
    """maximum takes the other one, where one is NaN"""

    replaced = {"maximum": np.fmax}
    breaks = "test_edges_of_pairs[maximum]"


class DropsNanInMinimum(Right):
    """minimum takes the second, where the first is NaN"""

    replaced = {"minimum": lambda x, y: np.where(np.asarray(x) < y, x, y).astype(np.asarray(x).dtype)}
    breaks = "test_edges_of_pairs[minimum]"


class ClipsNan(Right):
    """clip makes NaN the lower bound"""

    replaced = {"clip": lambda x, low, high: np.clip(np.where(np.isnan(x), low, x), low, high)}
    breaks = "test_edges_of_pairs[clip]"


class FiniteLog(Right):
    """log of zero is a large number"""

    replaced = {"log": lambda x: np.log(np.maximum(x, np.asarray(1e-30, np.asarray(x).dtype)))}
    breaks = "test_edges_of_functions[log]"


class CappedExp(Right):
    """exp does not go beyond exp(50)"""

    replaced = {"exp": lambda x: np.exp(np.minimum(x, np.asarray(50, np.asarray(x).dtype)))}
    breaks = "test_edges_of_functions[exp]"


class SignOfNan(Right):
    """the sign of NaN is zero"""

    replaced = {"sign": lambda x: np.nan_to_num(np.sign(x))}
    breaks = "test_edges_of_functions[sign]"


class SimpleExpm1(Right):
    """expm1 is exp minus one, which is wrong near zero"""

    replaced = {"expm1": lambda x: np.exp(x) - 1}
    breaks = "test_edges_of_functions[expm1]"


class SimpleLog1p(Right):
    """log1p is log of one plus x"""

    replaced = {"log1p": lambda x: np.log(1 + x)}
    breaks = "test_edges_of_functions[log1p]"


class SimpleTanh(Right):
    """tanh is a quotient of exponentials, and NaN for large arguments"""

    replaced = {"tanh": lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))}
    breaks = "test_edges_of_functions[tanh]"


class SquareRootOfAbs(Right):
    """the square root of a negative number is that of its opposite"""

    replaced = {"sqrt": lambda x: np.sqrt(np.abs(x))}
    breaks = "test_edges_of_functions[sqrt]"


class InfinityIsNoNan(Right):
    """isfinite says that NaN is finite"""

    replaced = {"isfinite": lambda x: ~np.isinf(x)}
    breaks = "test_edges_of_functions[isfinite]"


class SkipsNan(Right):
    """sum and the largest element leave out NaN"""

    declares = {"numpy_methods"}
    methods = {"max": lambda self, axis=None, keepdims=False: np.nanmax(np.asarray(self), axis=axis, keepdims=keepdims)}
    breaks = "test_edges_of_reductions"


def _naive_half(x, y):
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype != np.float16:
        return np.matmul(x, y)
    total = np.zeros((x.shape[0], y.shape[1]), np.float16)
    for k in range(x.shape[1]):
        total += x[:, k : k + 1] * y[k : k + 1]
    return total


class HalfInside(Right):
    """matrix products of half precision are added up in half precision"""

    declares = {"float16"}
    replaced = {"matmul": _naive_half}
    breaks = "test_sums_of_half_precision"


def _sum_of_fifty_thousand(self, axis=None, dtype=None, keepdims=False):
    x = np.asarray(self)
    if x.ndim and x.shape[-1] > 50_000:
        x = x[..., :50_000]
    return np.sum(x, axis=axis, dtype=dtype, keepdims=keepdims)


class FiftyThousand(Right):
    """a sum is over the first 50,000 elements"""

    declares = {"numpy_methods"}
    methods = {"sum": _sum_of_fifty_thousand}
    breaks = "test_large_arrays"


class NaiveSum(Right):
    """sums in single precision are added up one by one"""

    declares = {"numpy_methods"}
    methods = {
        "sum": lambda self, axis=None, dtype=None, keepdims=False: (
            np.cumsum(np.asarray(self).reshape(-1), dtype=np.asarray(self).dtype)[-1]
            if axis is None and np.size(self)
            else np.sum(np.asarray(self), axis=axis, dtype=dtype, keepdims=keepdims)
        )
    }
    breaks = "test_large_arrays"


class SixteenBitPlaces(Right):
    """argmax counts in 16 bits"""

    declares = {"numpy_methods"}
    methods = {
        "argmax": lambda self, axis=None: (
            np.asarray(np.argmax(np.asarray(self), axis=axis)).astype(np.uint16).astype(int)
        )
    }
    breaks = "test_large_arrays"


class SumsInPlace(Right):
    """sums of whole numbers keep their dtype, and overflow"""

    declares = {"numpy_methods"}
    methods = {
        "sum": lambda self, axis=None, dtype=None, keepdims=False: np.sum(
            np.asarray(self), axis=axis, dtype=dtype or np.asarray(self).dtype, keepdims=keepdims
        )
    }
    breaks = "test_sums_of_whole_numbers"


class WholeByFloat(Right):
    """whole numbers are multiplied as floating ones, and lose digits"""

    methods = {
        "__mul__": lambda self, other: (
            (np.asarray(self).astype(float) * other).astype(np.asarray(self).dtype)
            if np.asarray(self).dtype.kind == "i" and isinstance(other, int)
            else np.asarray(self) * np.asarray(other)
        )
    }
    breaks = "test_whole_numbers"


class Saturates(Right):
    """whole numbers do not wrap but stay at the largest"""

    methods = {
        "__add__": lambda self, other: (
            np.clip(np.asarray(self).astype(int) + np.asarray(other), 0, 255).astype(np.uint8)
            if np.asarray(self).dtype == np.uint8
            else np.asarray(self) + np.asarray(other)
        )
    }
    breaks = "test_whole_numbers"


class RemainderOfC(Right):
    """the remainder has the sign of the dividend"""

    methods = {"__mod__": lambda self, other: np.fmod(np.asarray(self), np.asarray(other))}
    breaks = "test_whole_numbers"


class NarrowMeeting(Right):
    """float32 and float64 meet in float32"""

    methods = {
        "__add__": lambda self, other: (np.asarray(self) + np.asarray(other)).astype(np.asarray(self).dtype, copy=False)
    }
    breaks = "test_dtypes_meet"


class FirstShape(Right):
    """an operand is repeated until it fits, whatever its shape"""

    methods = {"__add__": lambda self, other: np.asarray(self) + np.resize(np.asarray(other), np.shape(self))}
    breaks = "test_broadcasting"


class OddErrors(Right):
    """matrices that do not fit raise RuntimeError"""

    breaks = "test_broadcasting"

    @staticmethod
    def _matmul(self, other):
        try:
            return np.matmul(np.asarray(self), np.asarray(other))
        except ValueError as error:
            raise RuntimeError("gemm failed") from error

    methods = {"__matmul__": _matmul.__func__}


class RunningTruth(Right):
    """the running sum of truth values is whether there was one"""

    declares = {"numpy_names"}
    replaced = {"cumsum": lambda x, axis=None: np.cumsum(x, axis, dtype=np.asarray(x).dtype)}
    breaks = "test_running_sums_of_whole_numbers"


class FloatingCounts(Right):
    """running sums of truth values are floating numbers"""

    declares = {"numpy_names"}
    replaced = {"cumsum": lambda x, axis=None: np.cumsum(x, axis) * (1.0 if np.asarray(x).dtype == bool else 1)}
    breaks = "test_running_sums_of_whole_numbers"


class ProductsInPlace(Right):
    """products of small whole numbers keep their dtype, and overflow"""

    declares = {"numpy_methods"}
    methods = {
        "prod": lambda self, axis=None, keepdims=False: np.prod(
            np.asarray(self), axis=axis, dtype=np.asarray(self).dtype, keepdims=keepdims
        )
    }
    breaks = "test_reductions_of_whole_numbers"


class FirstDtype(Right):
    """concatenate gives all arrays the dtype of the first"""

    declares = {"numpy_names"}
    replaced = {"concatenate": lambda arrays, axis=0: np.concatenate(arrays, axis).astype(np.asarray(arrays[0]).dtype)}
    breaks = "test_dtypes_meet"
