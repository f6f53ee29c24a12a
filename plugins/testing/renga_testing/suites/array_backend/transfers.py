"""Devices, and copies between device and host."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Backend, get_array_module, get_backend, get_device
from renga_core.errors import RengaError
from renga_testing.suites.array_backend.base import LAYOUTS, BackendTests, values_of
from renga_testing.suites.comparing import compare
from renga_testing.suites.suite import needs

__all__ = ["Transfers"]


class Transfers(BackendTests):
    """Tests of devices and transfers."""

    # --- identity and devices ----------------------------------------------------------------------------------------

    def test_is_found_by_its_arrays(self, backend: Backend) -> None:
        """The backend has its name and a namespace; its arrays and its namespace identify it."""
        name = self.provider.rpartition(":")[2]
        assert backend.name == name, f"the backend has the name {backend.name!r}; its provider is {name!r}"
        x = backend.asarray(np.zeros(3))
        assert isinstance(x, backend.array_types), f"asarray returned {type(x)}, which is not among array_types"
        owner = get_backend(x)
        assert owner is backend, f"its arrays are assigned to backend {owner.name!r}"
        assert get_array_module(x) is backend.xp, "get_array_module of an array is not xp"

    def test_devices(self, backend: Backend) -> None:
        """There is at least one device. Each device can be found by name, and arrays sent to it are on it."""
        count = backend.device_count()
        assert isinstance(count, int), f"device_count() is {count!r}; expected an integer"
        assert count >= 1, "device_count() is 0: if there is no device, the probe must report it"
        for index in range(count):
            called = backend.device_name(index)
            try:
                device = get_device(called)
            except (ValueError, RengaError) as error:
                raise AssertionError(f"device_name({index}) is {called!r}, which get_device refuses") from error
            assert (device.backend, device.index) == (backend, index), f"device_name({index}) leads to {device}"
            assert get_device(device.name) == get_device(f"{self.provider}:{index}") == device, f"{called!r}:{index}"
            with device.use():
                x = backend.asarray(np.arange(3.0), index)
                found = backend.device_index(x)
                assert found == index, f"asarray(…, {index}) made an array on device {found}"
                moved = device.send(np.arange(3.0))
                compare(moved, np.arange(3.0), "an array sent to a device", exact=True)
                assert device.send(moved) is moved, "an array that is already on the device is copied again"
                backend.synchronize()

    @needs("memory_info")
    def test_memory_info(self, backend: Backend) -> None:
        """`memory_info` reports the bytes in use and in total, and they are consistent."""
        info = backend.memory_info(0)
        missing = {"used", "total"} - set(info)
        assert not missing, f"memory_info() returns {sorted(info)}, without {sorted(missing)}"
        assert 0 <= info["used"] <= info["total"], f"memory_info() is {dict(info)}"

    # --- transfers ---------------------------------------------------------------------------------------------------

    def test_host_round_trip(self, backend: Backend, any_dtype: str, layout: str) -> None:
        """An array of any layout that is sent to the device and back keeps its values, shape and dtype."""
        x = LAYOUTS[layout](values_of(any_dtype))
        sent = backend.asarray(x)
        assert tuple(sent.shape) == x.shape, f"an array of shape {x.shape} got shape {tuple(sent.shape)}"
        compare(sent, x, f"a {layout} array of {any_dtype} sent there and back", exact=True)

    def test_to_host_is_numpys(self, backend: Backend) -> None:
        """The host array is a plain NumPy array, even if the original was a subclass."""
        for x in (np.arange(4.0).reshape(2, 2), np.arange(4.0).reshape(2, 2).view(_Matrix)):
            host = backend.to_host(backend.asarray(x))
            assert type(host) is np.ndarray, (
                f"to_host of an array that was a {type(x).__name__} returns a {type(host).__name__}"
            )
            compare(host, np.arange(4.0).reshape(2, 2), "an array sent to the host", exact=True)

    def test_host_round_trip_of_slices(self, backend: Backend, dtype: str) -> None:
        """A slice and a transpose made by the backend are transferred correctly."""
        x = values_of(dtype)
        for name in ("contiguous", "gaps", "transposed", "empty", "zero_dimensional"):
            taken = LAYOUTS[name](backend.asarray(x))
            compare(taken, LAYOUTS[name](x), f"a {name} part of an array, sent to the host", exact=True)

    def test_scalars(self, backend: Backend) -> None:
        """Python's numbers become arrays with no axes."""
        for value, kind in ((1.5, "f"), (3, "i"), (True, "b")):
            x = backend.asarray(value)
            assert x.shape == (), f"asarray({value!r}) has shape {x.shape}"
            host = backend.to_host(x)
            assert host.dtype.kind == kind, f"asarray({value!r}) is of {host.dtype}"
            assert host.item() == value, f"asarray({value!r}) holds {host.item()!r}"

    def test_dlpack_round_trip(self, backend: Backend, any_dtype: str) -> None:
        """Arrays are imported by DLPack: from the host, and from the backend itself."""
        x = values_of(any_dtype)
        from_host = backend.from_dlpack(x)
        assert isinstance(from_host, backend.array_types), f"from_dlpack returned {type(from_host)}"
        compare(from_host, x, "an array of the host, by DLPack", exact=True)
        compare(backend.from_dlpack(backend.asarray(x)), x, "an array of its own, by DLPack", exact=True)

    @needs("dlpack_zero_copy")
    def test_dlpack_shares_memory(self, backend: Backend) -> None:
        """An array imported by DLPack shares memory with the original."""
        x = np.zeros(3)
        taken = backend.from_dlpack(x)
        x[1] = 7.0
        found = backend.to_host(taken)[1]
        assert found == 7.0, "from_dlpack copied the array, although dlpack_zero_copy is declared"


class _Matrix(np.ndarray[Any, Any]):
    """A host array of a subclass such as ``numpy.memmap`` or ``numpy.matrix``."""
