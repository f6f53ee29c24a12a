"""Array backends that are each wrong in one way, in what they do beside arrays' functions."""

import time
from contextlib import suppress

import numpy as np

from .right import Right


class ScattersOnce(Right):
    """scatter_add adds once where an index is repeated"""

    breaks = "test_scatter_add"

    def scatter_add(self, target, index, values):
        target[index] += values


class Undilated(Right):
    """sliding_windows takes no heed of the dilation"""

    breaks = "test_sliding_windows"

    def sliding_windows(self, x, window, stride, dilation):
        return super().sliding_windows(x, window, stride, (1,) * len(window))


class WindowsAnywhere(Right):
    """a window that is too large gives no positions, and no error"""

    breaks = "test_windows_too_large"

    def sliding_windows(self, x, window, stride, dilation):
        with suppress(ValueError):
            return super().sliding_windows(x, window, stride, dilation)
        return self.own(np.zeros((*x.shape[: -len(window)], *(0 for _ in window), *window)))


class AssignsNothing(Right):
    """assign gives the name to another array"""

    breaks = "test_assign"

    def assign(self, target, source):
        target = source  # noqa: F841 - the fault


SHARED = np.empty((6, 8))


def _exp_in_a_shared_buffer(x):
    if np.shape(x) != SHARED.shape:
        return np.exp(x)
    np.exp(x, out=SHARED)
    time.sleep(0.002)
    result = SHARED.copy()
    SHARED[...] = 0
    return result


class OneBufferForAll(Right):
    """threads share a buffer"""

    replaced = {"exp": _exp_in_a_shared_buffer}
    breaks = "test_threads"


class ErfInDoublePrecision(Right):
    """special returns what SciPy returns for double precision"""

    breaks = "test_special_functions[float32-erf]"

    def special(self, name):
        function = super().special(name)
        return lambda *values: function(*values).astype("float64")


class AnyNameIsSpecial(Right):
    """special knows all names"""

    breaks = "test_unknown_special_function"

    def special(self, name):
        return lambda *values: values[0]


class ScattersForward(Right):
    """scatter_add takes negative indexes for none"""

    breaks = "test_scatter_add_at_all_sorts_of_indexes"

    def scatter_add(self, target, index, values):
        index = np.asarray(index) if not isinstance(index, (tuple, slice)) else index
        if isinstance(index, np.ndarray) and index.ndim and (index < 0).any():
            values, index = np.asarray(values)[index >= 0], index[index >= 0]
        np.add.at(target, index, values)


class ScattersACopy(Right):
    """scatter_add to a slice with gaps changes a copy of it"""

    declares = {"views"}
    breaks = "test_scatter_add_at_all_sorts_of_indexes"

    def scatter_add(self, target, index, values):
        np.add.at(np.ascontiguousarray(target), index, values)


class SpendsItsValues(Right):
    """scatter_add leaves zeros in the values that it has added"""

    breaks = "test_scatter_add_at_all_sorts_of_indexes"

    def scatter_add(self, target, index, values):
        np.add.at(target, index, values)
        values[...] = 0
