"""Arrays in messages: on the host, with the name of their library."""

from __future__ import annotations

from typing import Any

from renga_core.backend import default_device, get_device, get_device_of, to_host

__all__ = ["packed", "unpacked"]


def packed(array: Any) -> tuple[str, Any]:
    """Return the name of an array's library, and the array on the host."""
    return get_device_of(array).backend.name, to_host(array)


def unpacked(message: tuple[str, Any], given: Any) -> Any:
    """Move a result to the place of the argument; without one, to the library of the sender."""
    name, host = message
    if given is not None:
        return get_device_of(given).send(host.copy())
    current = default_device()
    return (current if current.backend.name == name else get_device(name)).send(host.copy())
