"""Devices, and looking them up by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from renga_core.backend.lookup import get_backend

if TYPE_CHECKING:
    from renga_core.backend.protocol import Array, Backend

__all__ = ["Device", "backend_name", "default_device", "device_names", "get_device", "get_device_of", "using_device"]

device_names: dict[type, Callable[[Any], str]] = {}
"""Functions that name the device for objects other than strings, by type. Empty, except under compatibility layers for
other frameworks."""

_current = threading.local()


@dataclass(frozen=True, eq=False)
class Device:
    """Device `index` of a backend. Use `get_device` to make one.

    Attributes:
        backend: The array library.
        index: Number of the device in the library.
    """

    backend: Backend
    index: int = 0

    @property
    def name(self) -> str:
        """The name of this device, which `get_device` accepts: ``numpy``, ``cupy:0``."""
        return self.backend.device_name(self.index)

    @property
    def xp(self) -> Any:
        """The array namespace."""
        return self.backend.xp

    def send(self, array: Array) -> Array:
        """Return `array`, of any backend, as an array on this device; the same object if it is there already."""
        owner = get_backend(array)
        if owner is self.backend:
            if owner.device_index(array) == self.index:
                return array
            return owner.asarray(array, self.index)
        return self.backend.asarray(owner.to_host(array), self.index)

    def use(self) -> AbstractContextManager[object]:
        """Make this the current device of its library while a ``with`` block runs."""
        return self.backend.use_device(self.index)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.backend is other.backend and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self.backend), self.index))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Device {self.name}>"


def get_device(device_spec: str | Device | Array, *, origin: str = "argument") -> Device:
    """Return the device with this name, or the device of this array.

    A string is a `Device.name` (``numpy``, ``cupy:0``, ``torch:cpu``), a backend's name with a number (``numpy:0``), or
    a backend's name alone, for its first device. A leading ``@``, as in Chainer, is ignored. `origin` says in messages
    where the string came from.

    Raises:
        ValueError: The part after the colon is neither a number nor a word, or the device does not exist.
        UnknownProvider, ProviderUnavailable, ProviderFaulty: See `get_backend`.
        TypeError: `device_spec` is neither a string nor an array.
    """
    if isinstance(device_spec, Device):
        return device_spec
    if type(device_spec) in device_names:
        device_spec = device_names[type(device_spec)](device_spec)
    if isinstance(device_spec, int):
        raise TypeError(f"a device needs a name, such as 'numpy' or 'cupy:0', not a number: {device_spec}")
    if not isinstance(device_spec, str):
        return get_device_of(device_spec)
    name, place = _split(device_spec)
    backend = get_backend(name, origin=origin)
    count = backend.device_count()
    if place.isdecimal():
        index = int(place)
    elif place:
        words = [backend.device_name(i).rpartition(":")[2] for i in range(count)]
        index = words.index(place) if place in words else count
    else:
        index = 0
    if index >= count:
        raise ValueError(f"no device {device_spec!r}: backend {backend.name!r} has {_devices(backend)}")
    return Device(backend, index)


def backend_name(device_spec: str) -> str:
    """Return the backend's name in a device's name: ``cupy`` of ``cupy:1``, ``torch`` of ``torch:cpu``.

    Raises:
        ValueError: The part after the colon is neither a number nor a word.
    """
    return _split(device_spec)[0]


def _split(device_spec: str) -> tuple[str, str]:
    """Split a device's name into the backend's name and the device: a number, a word, or nothing."""
    spec = device_spec.removeprefix("@")
    name, colon, place = spec.rpartition(":")
    if not colon:
        return spec, ""
    if place[:1].isalpha():
        return (name, place) if _is_backend(name) and not _is_backend(spec) else (spec, "")
    if not place.isdecimal():
        raise ValueError(
            f"device {device_spec!r}: the index after the colon must be a number, as in '{name or 'numpy'}:0'"
        )
    return name, place


def _is_backend(name: str) -> bool:
    """Whether the string is a backend's name, short or full: both have the same form as a device's name."""
    from renga_core.plugin import registry

    return any(name in (offer.name, offer.full_name) for offer, _ in registry("array_backend").list())


def _devices(backend: Backend) -> str:
    count = backend.device_count()
    if count == 0:
        return "no device"
    names = ", ".join(backend.device_name(i) for i in range(min(count, 8)))
    return f"{count} device{'s' if count != 1 else ''}: {names}{', …' if count > 8 else ''}"


def default_device() -> Device:
    """The device for new parameters, unless a link chooses one: the innermost `using_device`, or ``numpy``."""
    return getattr(_current, "device", None) or get_device("numpy")


@contextmanager
def using_device(device_spec: str | Device) -> Iterator[Device]:
    """Make parameters on this device, and make it the current one of its library, while a ``with`` block runs."""
    device = get_device(device_spec)
    before = getattr(_current, "device", None)
    _current.device = device
    try:
        with device.use():
            yield device
    finally:
        _current.device = before


def get_device_of(x: Array) -> Device:
    """The device on which an array, or a Variable's array, lives."""
    array = getattr(x, "array", x)
    backend = get_backend(array)
    return Device(backend, backend.device_index(array))
