"""A place where arrays live, and which one a string names."""

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
"""What names a device besides strings, by its type: functions that say the name. Empty, but for layers that give
programs of other frameworks their words."""

_current = threading.local()


@dataclass(frozen=True, eq=False)
class Device:
    """Device `index` of a backend. Made by `get_device`.

    Attributes:
        backend: The array library.
        index: Number of the device among the library's.
    """

    backend: Backend
    index: int = 0

    @property
    def name(self) -> str:
        """The string that names this device, and by which `get_device` finds it: ``numpy``, ``cupy:0``."""
        return self.backend.device_name(self.index)

    @property
    def xp(self) -> Any:
        """The array namespace."""
        return self.backend.xp

    def send(self, array: Array) -> Array:
        """`array`, which may belong to any backend, as an array on this device; itself if it is there already."""
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
    """The device that a string names, or on which an array lives.

    A string is what `Device.name` says (``numpy``, ``cupy:0``, ``torch:cpu``), a backend's name with a number
    (``numpy:0``), or alone, for its first device. A leading ``@``, as in Chainer, means nothing. `origin` says where it
    came from, for messages.

    Raises:
        ValueError: What follows the colon is neither a number nor a word, or there is no such device.
        UnknownProvider, ProviderUnavailable, ProviderFaulty: As `get_backend`.
        TypeError: `device_spec` is neither a string nor an array.
    """
    if isinstance(device_spec, Device):
        return device_spec
    if type(device_spec) in device_names:
        device_spec = device_names[type(device_spec)](device_spec)
    if isinstance(device_spec, int):
        raise TypeError(f"a device has a name, such as 'numpy' or 'cupy:0', and not a number: {device_spec}")
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
    """The name of the backend in the name of a device: ``cupy`` of ``cupy:1``, ``torch`` of ``torch:cpu``.

    Raises:
        ValueError: What follows the colon is neither a number nor a word.
    """
    return _split(device_spec)[0]


def _split(device_spec: str) -> tuple[str, str]:
    """A backend's name, and which of its devices is meant: a number, a word, or nothing."""
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
    """Whether it is a backend's name, short or full: both have the form of a device's."""
    from renga_core.plugin import registry

    return any(name in (offer.name, offer.full_name) for offer, _ in registry("array_backend").list())


def _devices(backend: Backend) -> str:
    count = backend.device_count()
    if count == 0:
        return "no device"
    names = ", ".join(backend.device_name(i) for i in range(min(count, 8)))
    return f"{count} device{'s' if count != 1 else ''}: {names}{', …' if count > 8 else ''}"


def default_device() -> Device:
    """Where parameters are made when nothing else is said: the innermost `using_device`, or ``numpy``."""
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
