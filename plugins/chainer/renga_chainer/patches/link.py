"""`Link`: visitors of its arrays, methods of mixins, and attributes by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_chainer.patches.sequential import count_anew
from renga_core.backend import Array, Device, DeviceResident, is_array
from renga_core.graph import Parameter, Variable
from renga_core.link import Chain, ChainList, Link, Sequential
from renga_core.link.link_hook import forward_with_hooks, watchers

__all__ = ["ADDITIONS"]

_call = Link.__call__
_copy = Link.copy
_move = Link.to_device
_add = Link.add_param
_child = Chain.__getitem__


def _call_behind(self: Link, *args: Any, **kwargs: Any) -> Any:
    """Call `forward`, or the ``__call__`` of a mixin that follows `Link` among the base classes.

    Raises:
        AttributeError: Neither exists.
    """
    behind = getattr(super(Link, self), "__call__", None)  # noqa: B004 - that of a class behind Link only
    if behind is None:
        return _call(self, *args, **kwargs)
    if self._local_link_hooks or watchers:
        return forward_with_hooks(self, behind, args, kwargs)
    return behind(*args, **kwargs)


def _forward_behind(self: Link) -> Any:
    """The `forward` of a mixin that follows `Link` among the base classes.

    Raises:
        AttributeError: There is none: as in Chainer, `Link` itself has no such method.
    """
    return super(Link, self).forward  # type: ignore[misc]  # of a class that mypy does not see


def _accept(self: Link, visitor: Any) -> None:
    """Let a visitor visit this link, its parameters, persistent arrays and children."""
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
    """A visitor that moves each object to a device.

    Args:
        device: Destination.
    """

    def __init__(self, device: Device) -> None:
        self.device = device

    def visit_device_resident(self, device_resident: DeviceResident) -> None:
        pass  # moved already

    def visit_variable(self, param: Variable) -> None:
        param.to_device(self.device)

    def visit_array(self, array: Array) -> Array:
        return self.device.send(array)


_moving: set[int] = set()
"""Links whose own `to_cpu` or `to_gpu` is running, by `id`."""


def _to_device(self: Link, device: Any) -> Link:
    """Like Renga's, then moves arrays that a class handles itself, in one of Chainer's two ways.

    A class overrides `device_resident_accept` or, in older programs, `to_cpu` and `to_gpu`.
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
    """Like Renga's, but `dtype` (default: float32) applies only without an initializer."""
    _add(self, name, shape, dtype if initializer is None else None, initializer)


def _copy_with_name(self: Link, mode: str = "share") -> Link:
    """Like Renga's, but a deep copy keeps its name. Links of a Sequential are numbered as if just appended."""
    made = _copy(self, mode)
    if mode != "share":
        made.name = self.name
    for link in list(made.links()):
        if isinstance(link, Sequential):
            count_anew(link)
    return made


def _n_local_link_hooks(self: Link) -> int:
    """Number of hooks of this link."""
    return len(self.local_link_hooks)


def _device_id(self: Link) -> int | None:
    """Number of the GPU; None on the CPU."""
    return self.device.index if self.device.backend.name == "cupy" else None


def _params(self: Link, include_uninit: bool = True) -> Iterator[Parameter]:
    """All parameters of the tree; one that several links hold as many times."""
    return iter([param for _, param in self.namedparams(include_uninit)])


def _attribute(self: Chain, name: str) -> Any:
    """Any attribute, not only a child: programs also keep plain functions in a chain, and find all by name.

    Raises:
        NoSuchChild: There is no such attribute. It is both a KeyError and an AttributeError.
        TypeError: `name` is not a string.
    """
    try:
        return getattr(self, name)
    except AttributeError:
        return _child(self, name)  # raises the error that names the children


def _children(self: ChainList) -> list[Link]:
    """The children, in order: the list itself, since programs replace links in it; of a Sequential, a copy."""
    return list(self.children()) if isinstance(self, Sequential) else self._layers


def _set_children(self: ChainList, links: list[Link]) -> None:
    """Replace the children."""
    self._layers = links


ADDITIONS: list[tuple[Any, str, Any]] = [
    (Link, "__call__", _call_behind),
    (Link, "forward", property(_forward_behind)),
    (Link, "add_param", _add_param),
    (Link, "copy", _copy_with_name),
    (Link, "device_resident_accept", _accept),
    (Link, "to_device", _to_device),
    (Link, "_device_id", property(_device_id)),
    (Link, "params", _params),
    (Chain, "__getitem__", _attribute),
    (ChainList, "_children", property(_children, _set_children)),
    (Link, "_n_local_link_hooks", property(_n_local_link_hooks)),
]
