"""`Link`: visitors of its arrays, and hooks that keep their arrays in Chainer's shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import Array, Device, DeviceResident
from renga_core.graph import Variable
from renga_core.link import Link
from renga_core.serializers.values import is_array
from renga_nn.link_hooks import SpectralNormalization

__all__ = ["ADDITIONS"]

_move = Link.to_device
_add = Link.add_param
_prepare = SpectralNormalization.prepare


def _accept(self: Link, visitor: Any) -> None:
    """Show a visitor this link, its parameters and persistent arrays, and its children."""
    visitor.visit_device_resident(self)
    for _, param in self._own_params():
        visitor.visit_variable(param)
    for name in sorted(self._persistent):
        value = self.__dict__.get(name)
        if is_array(value):
            self.__dict__[name] = visitor.visit_array(value)
    for child in self.children():
        child.device_resident_accept(visitor)  # type: ignore[attr-defined]  # added below


class _ToDevice:
    """A visitor that moves what it sees.

    Args:
        device: Where to.
    """

    def __init__(self, device: Device) -> None:
        self.device = device

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        pass  # it knows already

    def visit_variable(self, param: Variable) -> None:
        param.to_device(self.device)

    def visit_array(self, array: Array) -> Array:
        return self.device.send(array)


_moving: set[int] = set()
"""Links whose own `to_cpu` or `to_gpu` runs, by `id`."""


def _to_device(self: Link, device: Any) -> Link:
    """As Renga's; then what a class says of arrays that are not registered, in one of Chainer's two ways, is done.

    These are to override `device_resident_accept`, or, as in older programs, `to_cpu` and `to_gpu`.
    """
    _move(self, device)
    target = self.device
    cls: Any = type(self)
    if cls.device_resident_accept is not _accept:
        self.device_resident_accept(_ToDevice(target))  # type: ignore[attr-defined]  # added below
    name, arguments = ("to_gpu", (target.index,)) if target.backend.name == "cupy" else ("to_cpu", ())
    if getattr(cls, name) is not getattr(Link, name) and id(self) not in _moving:
        _moving.add(id(self))
        try:
            getattr(self, name)(*arguments)
        finally:
            _moving.discard(id(self))
    return self


def _add_param(self: Link, name: str, shape: Any = None, dtype: Any = np.float32, initializer: Any = None) -> None:
    """As Renga's. `dtype` counts only where there is no initializer, and is float32 unless given."""
    _add(self, name, shape, dtype if initializer is None else None, initializer)


def _n_local_link_hooks(self: Link) -> int:
    """Number of hooks of this link."""
    return len(self.local_link_hooks)


def _prepare_vector(self: SpectralNormalization, link: Link, W: Variable) -> None:
    """As Renga's; the vector has one axis."""
    _prepare(self, link, W)
    vector = getattr(link, self.vector_name)
    if vector.ndim > 1:
        setattr(link, self.vector_name, vector.reshape(-1))


ADDITIONS: list[tuple[Any, str, Any]] = [
    (Link, "add_param", _add_param),
    (Link, "device_resident_accept", _accept),
    (Link, "to_device", _to_device),
    (Link, "_n_local_link_hooks", property(_n_local_link_hooks)),
    (SpectralNormalization, "prepare", _prepare_vector),
]
