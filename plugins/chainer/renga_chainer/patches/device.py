"""Devices: names begin with ``@``, and `send` accepts several arrays."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from renga_chainer.devices import without_cuda
from renga_core.backend import Array, Device, DeviceResident, lookup
from renga_core.plugin.errors import RengaPluginError

__all__ = ["ADDITIONS"]

_send = Device.send
_use = Device.use
_load = lookup._load


def _name(self: Device) -> str:
    """``@numpy``, ``@cupy:0``."""
    return "@" + self.backend.device_name(self.index)


def _send_all(self: Device, arrays: Any) -> Any:
    """Send an array, a number, None, or a list or tuple of these, to this device. An array that occurs twice is copied
    once."""
    if isinstance(arrays, (list, tuple)):
        sent: dict[int, Any] = {}
        for each in arrays:
            if id(each) not in sent:
                sent[id(each)] = _send_all(self, each)
        return type(arrays)(sent[id(each)] for each in arrays)
    if arrays is None:
        return None
    return _send(self, np.asarray(arrays) if np.isscalar(arrays) else arrays)


def _supported_array_types(self: Device) -> tuple[type, ...]:
    """Types of the arrays on such devices."""
    return tuple(self.backend.array_types)


def _is_array_supported(self: Device, array: Array) -> bool:
    """Whether an array is on this device."""
    if not isinstance(array, self.backend.array_types):
        return False
    return self.backend.device_index(array) == self.index


class _InUse(AbstractContextManager[Any]):
    """Makes a CuPy device current; the end of a ``with`` block restores the previous device.

    Args:
        device: Device of CuPy.
    """

    def __init__(self, device: Any) -> None:
        self._device, self._before = device, type(device)()
        device.use()

    def __enter__(self) -> Any:
        return self._device

    def __exit__(self, *_: object) -> None:
        self._before.use()


def _use_from_now_on(self: Device) -> AbstractContextManager[object]:
    """Make this the current device of its library, permanently or for a ``with`` block."""
    device = _use(self)
    return _InUse(device) if hasattr(device, "use") else device


def _create_context(self: Device) -> AbstractContextManager[object]:
    """Makes this the current device of its library in a ``with`` block."""
    return self.use()


def _repr(self: Device) -> str:
    """``<CpuDevice (numpy)>``."""
    kind = {"numpy": "CpuDevice", "cupy": "GpuDevice"}.get(self.backend.name, "Device")
    return f"<{kind} ({self.backend.device_name(self.index)})>"


def _no_intel64(self: Any) -> Any:
    """Raise an error: Renga has no iDeep."""
    raise RuntimeError("iDeep is not available; use to_device('@numpy')")


def _no_chainerx(self: Any) -> Any:
    """Raise an error: Renga has no ChainerX."""
    raise RuntimeError("ChainerX is not available.")


def _itself(self: Any) -> Any:
    """Return this object: Renga has no ChainerX arrays to convert."""
    return self


def to_gpu(self: DeviceResident, device: Any = None) -> Any:
    """Move to an NVIDIA GPU, given by number or CuPy device; None means the first."""
    return self.to_device(device if isinstance(device, Device) else f"cupy:{int(getattr(device, 'id', device or 0))}")


def _load_or_runtime_error(name: str, origin: str = "argument") -> Any:
    """Return a backend. Unknown or unavailable ones raise a plain RuntimeError, as in Chainer."""
    try:
        return _load(name, origin)
    except RengaPluginError as error:
        raise RuntimeError(without_cuda(error) if name == "cupy" else f"{name} is not available: {error}") from error


def _accept(self: DeviceResident, visitor: Any) -> None:
    """Let a visitor visit this object."""
    visitor.visit_device_resident(self)


ADDITIONS: list[tuple[Any, str, Any]] = [
    (lookup, "_load", _load_or_runtime_error),
    (Device, "name", property(_name)),
    (Device, "__str__", _name),
    (Device, "__repr__", _repr),
    (Device, "send", _send_all),
    (Device, "send_array", _send),
    (Device, "supported_array_types", property(_supported_array_types)),
    (Device, "is_array_supported", _is_array_supported),
    (Device, "use", _use_from_now_on),
    (Device, "create_context", _create_context),
    (DeviceResident, "to_gpu", to_gpu),
    (DeviceResident, "to_intel64", _no_intel64),
    (DeviceResident, "to_chx", _no_chainerx),
    (DeviceResident, "from_chx", _itself),
    (DeviceResident, "device_resident_accept", _accept),
]
