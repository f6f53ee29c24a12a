"""Finding the backend of an array or of a name."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from renga_core.backend.protocol import Array, Backend

__all__ = ["array_types", "as_array_of", "get_array_module", "get_backend", "is_array", "to_host"]

array_types: dict[type, Backend] = {}
"""The backend of each array type seen so far. The engine reads it on every function call."""

_scalar_types: dict[type, Backend] = {}
_backends: dict[Callable[[], Backend], Backend] = {}  # by factory
_names: dict[str, tuple[object, Backend]] = {}  # with the state of plugins and settings
_lock = threading.RLock()


def get_backend(of: Array | str, *, origin: str = "argument") -> Backend:
    """Return the backend with this name, or the backend that owns this array.

    Args:
        of: The name, or an array.
        origin: Where the name came from, for messages.

    Raises:
        UnknownProvider: No backend has this name, or no backend is installed.
        ProviderUnavailable: The backend is installed, but its requirements are missing.
        ProviderFaulty: Importing or making it raised an error, or the result is not a `Backend`.
        TypeError: No backend knows arrays of this type.
    """
    if isinstance(of, str):
        return _load(of, origin)
    kind = type(of)
    found = array_types.get(kind) or _scalar_types.get(kind)
    return found if found is not None else _find_owner(kind)


def get_array_module(*arrays: Array) -> Any:
    """Return the namespace `xp` of the first argument that is an array or a Variable; NumPy if there is none."""
    for x in arrays:
        array = getattr(x, "array", x)
        backend = array_types.get(type(array))
        if backend is None and hasattr(array, "dtype"):
            backend = get_backend(array)
        if backend is not None:
            return backend.xp
    return np


def is_array(value: Any) -> bool:
    """Whether `value` is an array of some backend; scalars, including NumPy's, are not arrays."""
    return hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, np.generic)


def to_host(x: Any) -> np.ndarray[Any, Any]:
    """Return an array of any backend, a Variable or a scalar as a plain NumPy array, of no subclass."""
    array = getattr(x, "array", x)
    if isinstance(array, (np.ndarray, int, float, complex, bool, np.generic)):
        return np.asarray(array)
    return get_backend(array).to_host(array)


def as_array_of(backend: Backend, value: Any) -> Array:
    """Return `value` as an array of `backend`; a scalar becomes a zero-dimensional array."""
    return value if array_types.get(type(value)) is backend else backend.asarray(value)


def _load(name: str, origin: str = "argument") -> Backend:
    """Return the backend of a name through the plugin registry; each backend is made once."""
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
                backends.get(name, origin=origin)  # raises the error that describes it
                raise
            _names[name] = (choices_state(), found)
    return found


def _make(make: Callable[[], Backend]) -> Backend:
    """Call a provider's target, and check that it returns a backend that can count its devices."""
    from renga_core.backend.protocol import Backend
    from renga_core.plugin.state import describe_value

    found = make()
    if not isinstance(found, Backend):
        raise TypeError(f"{describe_value(found)} was made where a Backend was expected")
    issubclass(object, (*found.array_types, *found.scalar_types))  # raises if these are not types
    found.device_count()
    return found


def _find_owner(kind: type) -> Backend:
    """Ask the plugins for the backend of a new array type.

    Because an array exists, its library is imported: only backends that need this library are loaded.
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
        there = f"no backend is loaded. `renga plugins list` shows what is installed. {_why_none()}"
    raise TypeError(f"{kind.__module__}.{kind.__qualname__} is not an array of any backend; {there}")


def _why_none() -> str:
    from renga_core.plugin import State, get_manager

    lost = [plugin for plugin in get_manager().plugins() if plugin.status.state is not State.READY]
    if not lost:
        return "Next: install Renga: pip install . in its folder"
    return "Not loaded:" + "".join(f"\n  - {plugin}: {plugin.status}. {plugin.status.next_step}" for plugin in lost)


def _load_backend_of(kind: type) -> Backend | None:
    from renga_core.plugin import RengaPluginError, registry

    library = kind.__module__.partition(".")[0]
    if library == "builtins":
        return None
    backends = registry("array_backend")
    # Renga's own backends come first: an installed plugin must not take over the arrays of a library.
    for name in sorted(backends.names(needing=library), key=lambda name: (not backends.get(name).plugin.shipped, name)):
        try:
            candidate = _load(name, f"an array of {library}")
        except RengaPluginError as error:
            backends.manager.notice(f"{error} It is skipped.")
            continue
        if issubclass(kind, candidate.array_types + candidate.scalar_types):
            return candidate
    return None
