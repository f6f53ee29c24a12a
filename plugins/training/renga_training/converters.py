"""Converters that a run file can name: what makes arrays of a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from renga_core.backend import Device
from renga_data.convert import concat_examples, to_device

__all__ = ["concat", "lists"]


def concat(padding: float | None = None) -> Callable[..., Any]:
    """Return `concat_examples`, which stacks examples.

    Args:
        padding: A number with which to fill up arrays to the largest extent; None: all must have one shape.
    """
    return concat_examples if padding is None else partial(concat_examples, padding=padding)


def lists() -> Callable[..., Any]:
    """Return a converter that leaves examples apart: of tuples, it makes a list of each element, arrays on the device.

    What is no array stays as it is.
    """
    return _as_lists


def _as_lists(batch: Sequence[Any], device: Device | str | None = None) -> Any:
    if not isinstance(batch[0], tuple):
        return [_sent(example, device) for example in batch]
    return tuple([_sent(example[i], device) for example in batch] for i in range(len(batch[0])))


def _sent(value: Any, device: Device | str | None) -> Any:
    return to_device(device, value) if hasattr(value, "dtype") and hasattr(value, "shape") else value
