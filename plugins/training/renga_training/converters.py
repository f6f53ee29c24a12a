"""Converters that a run file can name: what makes arrays of a batch."""

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
        padding: A number with which to fill up arrays to the largest extent; None: all must have one shape.
    """
    return concat_examples if padding is None else partial(concat_examples, padding=padding)


def lists() -> Callable[..., Any]:
    """Return `as_lists`, which leaves examples apart."""
    return as_lists


def as_lists(batch: Sequence[Any], device: Device | str | None = None) -> Any:
    """Leave examples apart, in lists, with arrays on the device. What is not an array stays as it is.

    Args:
        batch: The examples.
        device: Where to; None leaves arrays where they are.

    Returns:
        A list of the examples; a tuple of lists, one of each element, where examples are tuples; a dictionary of lists
        where they are dictionaries.

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
