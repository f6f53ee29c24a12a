"""Array backends that are each wrong in one way, in the names, operators and methods that they have."""

import numpy as np

from .right import Namespace, Right


class InexactExp(Right):
    """exp is right to three digits"""

    replaced = {"exp": lambda x: np.exp(x) * 1.001}
    breaks = "test_elementwise"


class NoQr(Right):
    """a name of the standard is missing"""

    breaks = "test_standard_names"

    def __init__(self):
        source = type("Nothing", (), {"zeros": np.zeros})
        self.xp = Namespace(source, self.own)


class WideCopy(Right):
    """it declares numpy_names, and its copy is in double precision"""

    declares = {"numpy_names"}
    replaced = {"copy": lambda x: x.astype(np.float64)}
    breaks = "test_names_beyond_the_standard"


class FlatMean(Right):
    """it declares numpy_methods, and its mean takes no heed of the axis"""

    declares = {"numpy_methods"}
    methods = {"mean": lambda self, axis=None, keepdims=False: np.asarray(self).mean()}
    breaks = "test_methods"


class BytesForSize(Right):
    """the size of an array is its number of bytes"""

    methods = {"size": property(lambda self: np.asarray(self).nbytes)}
    breaks = "test_attributes"


class NamesForDtypes(Right):
    """it declares numpy_methods, and its dtypes are mere names"""

    declares = {"numpy_methods"}
    methods = {"dtype": property(lambda self: np.asarray(self).dtype.name)}
    breaks = "test_dtypes"


class NoInfinity(Right):
    """xp.inf is the largest number, not infinity"""

    replaced = {"inf": 1e300}
    breaks = "test_constants"


class Widening(Right):
    """a number added to an array in single precision makes it a double"""

    methods = {"__add__": lambda self, other: np.add(np.asarray(self), other, dtype=np.result_type(self, np.float64))}
    breaks = "test_operators"


class DeafToEllipsis(Right):
    """``x[...] = y`` does nothing"""

    methods = {"__setitem__": lambda self, key, value: None if key is ... else np.ndarray.__setitem__(self, key, value)}
    breaks = "test_indexing"


class CopyingSlices(Right):
    """it declares views, and slices are copies"""

    declares = {"views"}
    methods = {"__getitem__": lambda self, key: np.ndarray.__getitem__(self, key).copy()}
    breaks = "test_views"


class NothingIsNothing(Right):
    """the sum over no elements is NaN"""

    replaced = {"sum": lambda x, axis=None: np.sum(x, axis=axis) if np.size(x) else np.sum(x, axis=axis) * np.nan}
    breaks = "test_empty_reductions"
