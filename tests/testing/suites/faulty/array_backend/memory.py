"""Array backends that are each wrong in one way, in what is shared, changed and refused."""

import numpy as np

from .right import Right


class AnotherObject(Right):
    """``a -= 1`` gives the name to another array"""

    methods = {"__isub__": lambda self, other: (np.asarray(self) - np.asarray(other)).view(type(self))}
    breaks = "test_in_place_keeps_the_object[subtract]"


class GrowsInPlace(Right):
    """``a += b`` gives a the shape of b"""

    methods = {"__iadd__": lambda self, other: (np.asarray(self) + np.asarray(other)).view(type(self))}
    breaks = "test_what_is_refused[an array that is larger]"


class WidensInPlace(Right):
    """``a *= b`` in float64 makes a float64"""

    methods = {"__imul__": lambda self, other: (np.asarray(self) * np.asarray(other)).view(type(self))}
    breaks = "test_in_place_keeps_the_object[multiply]"


class TruncatesInPlace(Right):
    """half added to a whole number in place is lost"""

    methods = {
        "__iadd__": lambda self, other: np.ndarray.__iadd__(self, np.asarray(other).astype(np.asarray(self).dtype))
    }
    breaks = "test_in_place_keeps_whole_numbers"


class NothingToClip(Right):
    """clip, where nothing is to be clipped, returns what it was given"""

    replaced = {"clip": lambda x, low, high: x if np.all((low <= x) & (x <= high)) else np.clip(x, low, high)}
    breaks = "test_results_are_new"


class LazyMinimum(Right):
    """the minimum of an array with itself is that array"""

    replaced = {"minimum": lambda x, y: x if x is y else np.minimum(x, y)}
    breaks = "test_results_are_new"


def _square_in_place(x):
    x *= x
    return x.copy()


class WorksInItsInput(Right):
    """square squares its argument"""

    replaced = {"square": _square_in_place}
    breaks = "test_arguments_are_unchanged"


class ShallowCopies(Right):
    """a deep copy shares the memory"""

    methods = {"__deepcopy__": lambda self, memo: self}
    breaks = "test_deep_copies"


class ReadsBytes(Right):
    """arrays of another order of bytes are taken as they lie"""

    breaks = "test_hosts_arrays_of_all_sorts"

    def asarray(self, value, index=0):
        value = np.asarray(value)
        return self.own(value.view(value.dtype.newbyteorder("=")))


class FlushesToZero(Right):
    """the smallest numbers become zero on their way"""

    breaks = "test_values_survive_transfers"

    def asarray(self, value, index=0):
        value = np.asarray(value)
        if value.dtype.kind == "f":
            value = np.where(np.abs(value) < np.finfo(value.dtype).tiny, value.dtype.type(0), value)
        return self.own(value)


class SharesUploads(Right):
    """what is uploaded shares the host's memory"""

    breaks = "test_upload"

    def upload(self, array, index=0, stream=None):
        uploaded = self.asarray(array)
        return lambda: uploaded


class LastRowFirst(Right):
    """iterating over an array begins with the last row"""

    methods = {"__iter__": lambda self: iter([self[-1 - i] for i in range(len(self))])}
    breaks = "test_conversions"


class ClampsIndexes(Right):
    """an index out of range takes the last element"""

    methods = {
        "__getitem__": lambda self, key: np.ndarray.__getitem__(
            self, min(key, len(self) - 1) if isinstance(key, int) else key
        )
    }
    breaks = "test_what_is_refused"


class NothingToJoin(Right):
    """concatenate, of one array, returns that array"""

    declares = {"numpy_names"}
    replaced = {"concatenate": lambda arrays, axis=0: arrays[0] if len(arrays) == 1 else np.concatenate(arrays, axis)}
    breaks = "test_results_are_new"


class NothingToAdd(Right):
    """the running sum of one row is that row"""

    declares = {"numpy_names"}
    replaced = {"cumsum": lambda x, axis=None: x if np.shape(x)[axis] == 1 else np.cumsum(x, axis)}
    breaks = "test_results_are_new"
