"""Which backend owns this array; which device does this string name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend.device import Device

if TYPE_CHECKING:
    from renga_core.backend.protocol import Array, Backend

__all__ = [
    "array_types",
    "as_array_of",
    "backend_name",
    "default_device",
    "device_names",
    "get_array_module",
    "get_backend",
    "get_device",
    "get_device_of",
    "to_host",
    "using_device",
]

array_types: dict[type, Backend] = {}
"""The backend of each type of array met so far. The engine reads it on every function call."""

device_names: dict[type, Callable[[Any], str]] = {}
"""What names a device besides strings, by its type: functions that say the name. Empty, but for layers that give
programs of other frameworks their words."""

_scalar_types: dict[type, Backend] = {}
_backends: dict[Callable[[], Backend], Backend] = {}  # by what made them
_names: dict[str, tuple[object, Backend]] = {}  # what each name meant, and in which state of plugins and settings
_lock = threading.RLock()
_current = threading.local()


def get_backend(of: Array | str, *, origin: str = "argument") -> Backend:
    """The backend with this name, or the one that owns this array.

    Args:
        of: The name, or an array.
        origin: Where the name came from, for messages.

    Raises:
        UnknownProvider: No backend has that name, or none at all is installed.
        ProviderUnavailable: It is there, but what it needs is not.
        ProviderFaulty: Importing or making it raised, or it is no `Backend`.
        TypeError: No backend knows arrays of this type.
    """
    if isinstance(of, str):
        return _load(of, origin)
    kind = type(of)
    found = array_types.get(kind) or _scalar_types.get(kind)
    return found if found is not None else _find_owner(kind)


def get_array_module(*arrays: Array) -> Any:
    """The namespace `xp` of the first argument that is an array or a Variable; NumPy's where none is (scalars)."""
    for x in arrays:
        array = getattr(x, "array", x)
        backend = array_types.get(type(array))
        if backend is None and hasattr(array, "dtype"):
            backend = get_backend(array)
        if backend is not None:
            return backend.xp
    return np


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
    backend = _load(name, origin)
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


def to_host(x: Any) -> np.ndarray[Any, Any]:
    """An array of any backend, a Variable or a scalar as a NumPy array, of no subclass (``memmap``, ``matrix``)."""
    array = getattr(x, "array", x)
    if isinstance(array, (np.ndarray, int, float, complex, bool, np.generic)):
        return np.asarray(array)
    return get_backend(array).to_host(array)


def as_array_of(backend: Backend, value: Any) -> Array:
    """`value` as an array of `backend`: itself, or a zero-dimensional array for a scalar."""
    return value if array_types.get(type(value)) is backend else backend.asarray(value)


def _load(name: str, origin: str = "argument") -> Backend:
    """The backend that a name means, through the plugin registry; each is made once."""
    from renga_core.plugin import choices_state, registry
    from renga_core.plugin.state import describe_error, pass_interrupt

    state, found = _names.get(name, (None, None))
    if found is None or state != choices_state():
        with _lock:
            backends = registry("array_backend")
            make = backends.load(name, origin=origin, probe=True)
            try:
                found = _backends.get(make)
                if found is None:
                    found = _backends[make] = _make(make)
                    array_types.update(dict.fromkeys(found.array_types, found))
                    _scalar_types.update(dict.fromkeys(found.scalar_types, found))
            except BaseException as error:
                pass_interrupt(error)
                backends.get(name).fail(error, f"making it raised {describe_error(error)}")
                backends.get(name, origin=origin)  # raises the error that says so
                raise
            _names[name] = (choices_state(), found)
    return found


def _make(make: Callable[[], Backend]) -> Backend:
    """Call what a plugin names, and see that it gives a backend and knows how many devices there are."""
    from renga_core.backend.protocol import Backend
    from renga_core.plugin.state import describe_value

    found = make()
    if not isinstance(found, Backend):
        raise TypeError(f"{describe_value(found)} was made where a Backend was expected")
    issubclass(object, (*found.array_types, *found.scalar_types))  # raises where these are no types
    found.device_count()
    return found


def _find_owner(kind: type) -> Backend:
    """Ask the plugins for the backend of a type met for the first time.

    An array exists, so its library has been imported: only backends that need that library are loaded.
    """
    with _lock:
        for base in kind.__mro__[:-1]:
            found = array_types.get(base) or _scalar_types.get(base) or _load_backend_of(base)
            if found is not None:
                (array_types if issubclass(kind, found.array_types) else _scalar_types)[kind] = found
                return found
    if array_types:
        known = ", ".join(sorted(f"{t.__module__}.{t.__qualname__}" for t in array_types))
        there = f"known array types: {known}. `renga plugins list` shows the installed backends."
    else:
        there = (
            "no backend is loaded. `renga plugins list` shows what is installed. "
            "Next: install Renga: pip install . in its folder"
        )
    raise TypeError(f"{kind.__module__}.{kind.__qualname__} is not an array of any backend; {there}")


def _load_backend_of(kind: type) -> Backend | None:
    from renga_core.plugin import RengaPluginError, registry

    library = kind.__module__.partition(".")[0]
    if library == "builtins":
        return None
    backends = registry("array_backend")
    # What Renga ships comes first: the arrays of a library stay whose they were when another plugin is installed.
    for name in sorted(backends.names(needing=library), key=lambda name: (not backends.get(name).plugin.shipped, name)):
        try:
            candidate = _load(name, f"an array of {library}")
        except RengaPluginError as error:
            backends.manager.notice(f"{error} It is passed over.")
            continue
        if issubclass(kind, candidate.array_types + candidate.scalar_types):
            return candidate
    return None
