"""Array backends that are each wrong in one way, in devices and transfers."""

import numpy as np

from .right import Right


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
