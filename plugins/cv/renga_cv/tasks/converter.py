"""A converter for pictures with different numbers of objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from renga_core.backend import Device
from renga_training.converters import as_lists

__all__ = ["pictures"]


def pictures() -> Callable[..., Any]:
    """Return a converter that keeps examples in lists on the host. Networks resize pictures before stacking, and match
    boxes on the host.
    """
    return _on_the_host


def _on_the_host(batch: Sequence[Any], device: Device | str | None = None) -> Any:
    return as_lists(batch)
