"""A converter for pictures of which each has another number of objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from renga_core.backend import Device

__all__ = ["pictures"]


def pictures() -> Callable[..., Any]:
    """Return a converter that leaves examples apart, in lists, on the host: networks resize pictures before they stack
    them, and boxes are matched on the host.
    """
    return _as_lists


def _as_lists(batch: Sequence[Any], device: Device | str | None = None) -> Any:
    if not isinstance(batch[0], tuple):
        return list(batch)
    return tuple(list(each) for each in zip(*batch, strict=True))
