"""Chainer's names for devices and arrays, based on the installed backends.

Programs for Renga write ``get_device("cupy:1")`` and need no classes of devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from renga_core.backend.device import Device, get_device, get_device_of
from renga_core.backend.lookup import array_types, get_backend
from renga_core.backend.protocol import Array

__all__ = [
    "CpuDevice",
    "GpuDevice",
    "copyto",
    "from_chx",
    "get_array_types",
    "get_cpu_array_types",
    "get_device_from_array",
    "is_arrays_compatible",
    "to_chx",
]


class _DevicesOf(type):
    """The metaclass of device classes: ``isinstance`` compares the backend."""

    backend_name: str

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Device) and instance.backend.name == cls.backend_name


class CpuDevice(Device, metaclass=_DevicesOf):
    """``CpuDevice()`` is the device ``numpy``; ``isinstance(device, CpuDevice)`` is true for that device."""

    backend_name: ClassVar[str] = "numpy"

    def __new__(cls) -> Device:  # type: ignore[misc]  # what it stands for
        """Return the CPU."""
        return get_device("numpy")

    @staticmethod
    def from_array(array: Any) -> Device | None:
        """Return the CPU if an array is in host memory; None for other arrays, and if it is not an array."""
        return _device_of(array, CpuDevice)


class GpuDevice(Device, metaclass=_DevicesOf):
    """``GpuDevice(i)`` is the device ``cupy:i``; ``isinstance(device, GpuDevice)`` is true for such devices.

    Args:
        device: Number of the GPU, or an object whose attribute `id` is the number, such as a device of CuPy.

    Raises:
        ProviderUnavailable: CuPy is not installed, or there is no GPU.
        ValueError: No GPU has this number.
    """

    backend_name: ClassVar[str] = "cupy"

    def __new__(cls, device: Any) -> Device:  # type: ignore[misc]  # what it stands for
        """Return the GPU."""
        return get_device(f"cupy:{int(getattr(device, 'id', device))}")

    @staticmethod
    def from_device_id(device_id: int) -> Device:
        """Return the GPU with this number."""
        return get_device(f"cupy:{device_id}")

    @staticmethod
    def from_array(array: Any) -> Device | None:
        """Return the GPU of an array; None for arrays elsewhere, and if it is not an array."""
        return _device_of(array, GpuDevice)


def _device_of(array: Any, kind: type) -> Device | None:
    if isinstance(array, np.generic) or not hasattr(array, "dtype") or hasattr(array, "array"):
        return None
    device = get_device_of(array)
    return device if isinstance(device, kind) else None


def copyto(dst: Array, src: Array | Sequence[Any] | complex) -> None:
    """Copy the elements of one array into another; they may be on different devices or of different libraries.

    Args:
        dst: Array to write to.
        src: Array, or number or nested list, of a shape that broadcasts to that of `dst`.

    Raises:
        TypeError: `dst` is not an array, or `src` cannot be cast to its dtype (floats to integers, for example).
    """
    source = src if hasattr(src, "dtype") else np.asarray(src)
    device = get_device_of(dst)
    if not np.can_cast(source.dtype, dst.dtype, "same_kind"):
        raise TypeError(f"copyto: cannot cast from {source.dtype} to the array's dtype {dst.dtype}")
    dst[...] = device.send(source)


def get_device_from_array(*arrays: Array) -> Device:
    """Return the device of the first argument that is an array or a Variable; the CPU if there is none."""
    for x in arrays:
        if hasattr(getattr(x, "array", x), "dtype"):
            return get_device_of(x)
    return get_device("numpy")


def get_array_types() -> tuple[type, ...]:
    """The types of arrays: NumPy's and those of each loaded backend."""
    get_backend("numpy")
    return tuple(array_types)


def get_cpu_array_types() -> tuple[type, ...]:
    """The types of NumPy's arrays."""
    return (np.ndarray,)


def is_arrays_compatible(arrays: Sequence[Array | None]) -> bool:
    """Whether all arrays belong to one backend, so that they can be combined. None is ignored."""
    return len({id(get_backend(getattr(x, "array", x))) for x in arrays if x is not None}) < 2


def from_chx(array: Any) -> Any:
    """Return `array` unchanged: Renga has no arrays of ChainerX."""
    return array


def to_chx(array: Any) -> Any:
    """Raise an error: ChainerX is no longer developed, and Renga does not include it.

    Raises:
        RuntimeError: Always, as in a Chainer that was built without ChainerX.
    """
    raise RuntimeError("to_chx: ChainerX has been retired; move arrays with renga.get_device(name).send(array)")
