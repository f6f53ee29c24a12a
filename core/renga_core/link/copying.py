"""Helpers for copying: comparing two trees of links, and copying a parameter or value."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from renga_core.backend import get_device_of, is_array
from renga_core.graph import Parameter

if TYPE_CHECKING:
    from renga_core.link.link import Link

__all__ = ["check_copy_mode", "copied_value", "initialize_again", "pairs"]

MODES = ("init", "copy", "share")


def check_copy_mode(mode: str) -> None:
    """Raise an error if `Link.copy` does not have this mode."""
    if mode not in MODES:
        raise ValueError(f"cannot copy a link in mode {mode!r}; the modes are {', '.join(map(repr, MODES))}")


def pairs(here: Link, there: Link, with_persistent: bool = False) -> list[tuple[Link, Link]]:
    """Yield each link of a tree with the corresponding link of another tree.

    Raises:
        ValueError: The other tree lacks a link, a parameter or (if requested) a persistent value, or the shapes of a
            parameter differ.
    """
    others = dict(there.namedlinks())
    found = []
    differences = []
    for path, mine in here.namedlinks():
        theirs = others.get(path)
        if theirs is None:
            differences.append(f"it has no link {path}")
            continue
        found.append((mine, theirs))
        stem = path.rstrip("/")
        for name in sorted(mine._params | mine._persistent if with_persistent else mine._params):
            source, target = theirs.__dict__.get(name), mine.__dict__[name]
            if name not in theirs.__dict__:
                differences.append(f"it has no {stem}/{name}")
            elif _shape(source) != _shape(target) and None not in (_shape(source), _shape(target)):
                differences.append(f"{stem}/{name} has shape {_shape(source)} there and {_shape(target)} here")
    if differences:
        raise ValueError(
            f"{type(there).__name__} does not have the structure of this {type(here).__name__}: "
            f"{'; '.join(differences)}. Nothing was changed."
        )
    return found


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a parameter, if it is known."""
    return value.shape if isinstance(value, Parameter) and value.is_initialized else None


def initialize_again(param: Parameter) -> None:
    """Fill a parameter with its initializer as if it were new, on its current device."""
    shape, device = param.shape, param.device
    param.array = None
    param.to_device(device)
    param.initialize(shape)
    param.cleargrad()


def copied_value(old: Any, new: Any) -> Any:
    """Return the persistent value after `new` is copied over it.

    An array keeps its memory if the shapes agree, and always keeps its device.
    """
    if is_array(old) and is_array(new):
        device = get_device_of(old)
        if old.shape == new.shape:
            device.backend.assign(old, device.send(new))
            return old
        return device.send(new).copy()
    return copy.deepcopy(new)
