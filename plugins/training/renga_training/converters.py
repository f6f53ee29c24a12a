"""Converters, which make arrays from a batch, for run files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from renga_core.backend import Device
from renga_data.convert import check_structure, concat_examples, to_device

__all__ = ["as_lists", "concat", "lists"]


def concat(padding: float | None = None) -> Callable[..., Any]:
    """Return `concat_examples`, which stacks examples.

    Args:
        padding: Value with which arrays are padded to the largest size; None: all must have the same shape.
    """
    return concat_examples if padding is None else partial(concat_examples, padding=padding)


def lists() -> Callable[..., Any]:
    """Return `as_lists`, which does not stack examples."""
    return as_lists


def as_lists(batch: Sequence[Any], device: Device | str | None = None) -> Any:
    """Convert a batch to lists of examples, with arrays on the device. Other values are unchanged.

    Args:
        batch: The examples.
        device: The device; None: leave arrays where they are.

    Returns:
        A list of examples; if examples are tuples, a tuple of lists, one for each element; if they are dictionaries, a
        dictionary of lists.

    Raises:
        ValueError: The batch is empty, or examples differ in length or keys.
    """
    check_structure("lists", batch)
    first = batch[0]
    if isinstance(first, tuple):
        return tuple([_sent(example[i], device) for example in batch] for i in range(len(first)))
    if isinstance(first, Mapping):
        return {key: [_sent(example[key], device) for example in batch] for key in first}
    return [_sent(example, device) for example in batch]


def _sent(value: Any, device: Device | str | None) -> Any:
    return to_device(device, value) if hasattr(value, "dtype") and hasattr(value, "shape") else value
