"""Array backends that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import re
import time
from contextlib import suppress

import numpy as np

from renga_core.backend import Backend


class Namespace:
    """NumPy, or one of its generators, with results of another type; some names replaced."""

    def __init__(self, source, own, replaced=None):
        self.source, self.own, self.replaced = source, own, replaced or {}

    def __getattr__(self, name):
        found = self.replaced.get(name) or getattr(self.source, name)
        if isinstance(found, type) or not callable(found):
            return Namespace(found, self.own) if name == "linalg" else found
        return lambda *args, **kwargs: self.own(found(*args, **kwargs))


class Right(Backend):
    """NumPy under another name and type: the rest of this file derives from it."""

    replaced = {}
    methods = {}

    def __init_subclass__(cls):
        cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

        def wrap(self, array, context=None, return_scalar=False):
            return np.asarray(array).view(cls.Array)

        cls.Array = type(f"{cls.__name__}Array", (np.ndarray,), {"__array_wrap__": wrap, **cls.methods})
        cls.array_types = (cls.Array,)
        cls.xp = Namespace(np, cls.own, cls.replaced)

    @classmethod
    def own(cls, value):
        if isinstance(value, tuple):
            return tuple(map(cls.own, value))
        return value.view(cls.Array) if isinstance(value, np.ndarray) else value

    def asarray(self, value, index=0):
        return self.own(np.asarray(value))

    def to_host(self, array):
        return np.asarray(array)

    def from_dlpack(self, array):
        return self.own(np.from_dlpack(np.asarray(array)))

    def make_generator(self, seed):
        return Namespace(np.random.Generator(np.random.PCG64(seed)), self.own)

    def generator_state(self, generator):
        return dict(generator.source.bit_generator.state)

    def set_generator_state(self, generator, state):
        generator.source.bit_generator.state = state

    def scatter_add(self, target, index, values):
        np.add.at(target, index, values)

    def sliding_windows(self, x, window, stride, dilation):
        axes = tuple(range(x.ndim - len(window), x.ndim))
        reach = tuple(d * (k - 1) + 1 for k, d in zip(window, dilation, strict=True))
        views = np.lib.stride_tricks.sliding_window_view(np.asarray(x), reach, axes)
        return self.own(views[(..., *(slice(None, None, s) for s in (*stride, *dilation)))])


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    declares = {"dlpack_zero_copy", "float16", "numpy_methods", "numpy_names", "views"}
    breaks = ""


class WrongName(Right):
    """its `name` is not the one it is registered under"""

    breaks = "test_is_found_by_its_arrays"

    def __init__(self):
        self.name = "another"


class NoDevice(Right):
    """it says that it has no device"""

    breaks = "test_devices"

    def device_count(self):
        return 0


class NamesOfItsOwn(Right):
    """its devices have names that do not begin with its own"""

    breaks = "test_devices"

    def device_name(self, index):
        return f"socket:{index}"


class KeepsTheSubclass(Right):
    """to_host gives its own arrays, which NumPy takes for its own"""

    breaks = "test_to_host_is_numpys"

    def to_host(self, array):
        return array


class HalfTheMemory(Right):
    """it declares memory_info, and tells half of it"""

    declares = {"memory_info"}
    breaks = "test_memory_info"

    def memory_info(self, index=0):
        return {"used": 1}


class Rounding(Right):
    """what comes from the host is kept in single precision"""

    breaks = "test_host_round_trip"

    def asarray(self, value, index=0):
        value = np.asarray(value)
        return self.own(value.astype(np.float32) if value.dtype == np.float64 else value)


class Strideless(Right):
    """transfers to the host take memory as it lies, whatever the strides"""

    breaks = "test_host_round_trip_of_slices"

    def to_host(self, array):
        host = np.asarray(array)
        return host if host.ndim < 2 else np.ascontiguousarray(host.ravel(order="K")).reshape(host.shape)


class NoScalars(Right):
    """numbers become arrays with an axis"""

    breaks = "test_scalars"

    def asarray(self, value, index=0):
        return self.own(np.atleast_1d(value) if isinstance(value, (int, float)) else np.asarray(value))


class ForeignDlpack(Right):
    """from_dlpack returns an array of NumPy's"""

    breaks = "test_dlpack_round_trip"

    def from_dlpack(self, array):
        return np.from_dlpack(np.asarray(array))


class CopyingDlpack(Right):
    """it declares dlpack_zero_copy, and copies"""

    declares = {"dlpack_zero_copy"}
    breaks = "test_dlpack_shares_memory"

    def from_dlpack(self, array):
        return self.own(np.array(array))


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


class Seedless(Right):
    """the seed is not heeded"""

    breaks = "test_seeded_random_numbers"

    def make_generator(self, seed):
        return super().make_generator(time.perf_counter_ns())


class VarianceForScale(Right):
    """normal takes the variance for the standard deviation"""

    breaks = "test_random_numbers"

    def make_generator(self, seed):
        generator = np.random.Generator(np.random.PCG64(seed))
        return Namespace(
            generator, self.own, {"normal": lambda loc, scale, size: generator.normal(loc, scale**2, size)}
        )


class Forgetful(Right):
    """the state of a generator is not restored"""

    breaks = "test_random_state"

    def set_generator_state(self, generator, state):
        pass


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


class Boastful(Right):
    """it declares a capability that there is not"""

    declares = {"teleportation"}
    breaks = "test_declared_capabilities_are_tested"


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
