"""A converter for pictures of which each has another number of objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from renga_core.backend import Device
from renga_training.converters import as_lists

__all__ = ["pictures"]


def pictures() -> Callable[..., Any]:
    """Return a converter that leaves examples apart, in lists, on the host: networks resize pictures before they stack
    them, and boxes are matched on the host.
    """
    return _on_the_host


def _on_the_host(batch: Sequence[Any], device: Device | str | None = None) -> Any:
    return as_lists(batch)
