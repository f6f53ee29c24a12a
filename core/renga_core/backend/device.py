"""A place where arrays live."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_core.backend.protocol import Array, Backend

__all__ = ["Device"]


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
        from renga_core.backend.lookup import get_backend

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
