"""Chainer's names for devices and arrays, told by the backends that there are.

Programs that are written for Renga say ``get_device("cupy:1")`` and never ask what kind of device they run on.
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
    """The metaclass of names for the devices of one backend: ``isinstance`` asks for that backend."""

    backend_name: str

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Device) and instance.backend.name == cls.backend_name


class CpuDevice(Device, metaclass=_DevicesOf):
    """``CpuDevice()`` is the device ``numpy``; ``isinstance(device, CpuDevice)`` asks whether a device is that."""

    backend_name: ClassVar[str] = "numpy"

    def __new__(cls) -> Device:  # type: ignore[misc]  # what it stands for
        """The CPU."""
        return get_device("numpy")

    @staticmethod
    def from_array(array: Any) -> Device | None:
        """The CPU if an array lives there; None if it lives elsewhere, or is not an array."""
        return _device_of(array, CpuDevice)


class GpuDevice(Device, metaclass=_DevicesOf):
    """``GpuDevice(i)`` is the device ``cupy:i``; ``isinstance(device, GpuDevice)`` asks whether a device is one such.

    Args:
        device: Number of the GPU, or what has it as the attribute `id`, as a device of CuPy.

    Raises:
        ProviderUnavailable: CuPy is not installed, or there is no GPU.
        ValueError: There is no GPU of that number.
    """

    backend_name: ClassVar[str] = "cupy"

    def __new__(cls, device: Any) -> Device:  # type: ignore[misc]  # what it stands for
        """The GPU."""
        return get_device(f"cupy:{int(getattr(device, 'id', device))}")

    @staticmethod
    def from_device_id(device_id: int) -> Device:
        """The GPU of that number."""
        return get_device(f"cupy:{device_id}")

    @staticmethod
    def from_array(array: Any) -> Device | None:
        """The GPU on which an array lives; None if it lives elsewhere, or is not an array."""
        return _device_of(array, GpuDevice)


def _device_of(array: Any, kind: type) -> Device | None:
    if isinstance(array, np.generic) or not hasattr(array, "dtype") or hasattr(array, "array"):
        return None
    device = get_device_of(array)
    return device if isinstance(device, kind) else None


def copyto(dst: Array, src: Array | Sequence[Any] | complex) -> None:
    """Write the elements of an array into another one, which may be on another device or of another library.

    Args:
        dst: Array that is changed.
        src: Array, numbers or number of a shape that broadcasts to that of `dst`.

    Raises:
        TypeError: `dst` is not an array, or its dtype is of a lesser kind than that of `src` (integers for floats).
    """
    source = src if hasattr(src, "dtype") else np.asarray(src)
    device = get_device_of(dst)
    if not np.can_cast(source.dtype, dst.dtype, "same_kind"):
        raise TypeError(f"copyto: {source.dtype} cannot be written into an array of {dst.dtype}")
    dst[...] = device.send(source)


def get_device_from_array(*arrays: Array) -> Device:
    """The device of the first argument that is an array or a Variable; the CPU where none is."""
    for x in arrays:
        if hasattr(getattr(x, "array", x), "dtype"):
            return get_device_of(x)
    return get_device("numpy")


def get_array_types() -> tuple[type, ...]:
    """The types that are arrays: NumPy's, and those of each backend in use."""
    get_backend("numpy")
    return tuple(array_types)


def get_cpu_array_types() -> tuple[type, ...]:
    """The types that are NumPy's arrays."""
    return (np.ndarray,)


def is_arrays_compatible(arrays: Sequence[Array | None]) -> bool:
    """Whether arrays can be computed with together: all are of one backend. None is left out of account."""
    return len({id(get_backend(getattr(x, "array", x))) for x in arrays if x is not None}) < 2


def from_chx(array: Any) -> Any:
    """`array` itself: there are no arrays of ChainerX to convert."""
    return array


def to_chx(array: Any) -> Any:
    """Raise an error: ChainerX is no longer developed, and Renga has none.

    Raises:
        RuntimeError: Always, as in a Chainer that was built without ChainerX.
    """
    raise RuntimeError("to_chx: ChainerX has been retired; move arrays with renga.get_device(name).send(array)")
