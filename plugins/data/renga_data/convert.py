"""Converting mini-batches, which are lists of examples, to arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, get_array_module, get_device
from renga_data.datasets.adjacent import together

__all__ = ["check_structure", "concat_examples", "concat_examples_func", "stack_padded", "to_device"]


def to_device(device: Device | str | None, x: Any) -> Any:
    """Send an array to a device.

    Args:
        device: Target device, e.g. ``"numpy"``, ``"cupy:0"``; None: leave the array where it is.
        x: Array of any backend.
    """
    return x if device is None else get_device(device).send(x)


def concat_examples(batch: Sequence[Any], device: Device | str | None = None, padding: Any = None) -> Any:
    """Stack the examples of a batch along a new first axis.

    Args:
        batch: The examples: arrays or numbers, or tuples or dictionaries of arrays and numbers.
        device: Device of the results; None: leave them where the examples are. Numbers become NumPy arrays.
        padding: Value with which arrays are padded to the largest size of each axis. Without it, all shapes must be
            equal. If examples are tuples (dictionaries), a tuple (dictionary) gives a value for each element, which may
            be None.

    Returns:
        An array of shape ``(len(batch), *shape)`` in the examples' common dtype; or a tuple or dictionary of such
        arrays, if examples are tuples or dictionaries.

    Raises:
        ValueError: The batch is empty, or examples differ in shape, length or keys; the message names such an example.

    Example:
        >>> x, t = concat_examples([(np.array([1.0, 2.0]), 0), (np.array([3.0]), 1)], padding=(0.0, None))
        >>> x.tolist(), t.tolist()
        ([[1.0, 2.0], [3.0, 0.0]], [0, 1])
    """
    check_structure("concat_examples", batch)
    first = batch[0]
    if isinstance(first, tuple):
        if not isinstance(padding, tuple):
            padding = (padding,) * len(first)
        _check_padding(padding, len(padding), len(first))
        return tuple(_stack([x[i] for x in batch], device, padding[i], f" in element {i}") for i in range(len(first)))
    if isinstance(first, Mapping):
        if not isinstance(padding, Mapping):
            padding = dict.fromkeys(first, padding)
        _check_padding(padding, sorted(padding), sorted(first))
        return {key: _stack([x[key] for x in batch], device, padding[key], f" in {key!r}") for key in first}
    return _stack(batch, device, padding, "")


concat_examples_func = concat_examples
"""Names of Chainer's module beside `concat_examples`, which is a converter there."""


def check_structure(name: str, batch: Sequence[Any]) -> None:
    """Check that the examples of a batch have the same structure, for a converter of this name.

    Raises:
        ValueError: The batch is empty, or examples differ: in the length of tuples, in the keys of dictionaries, or in
            type.
    """
    if len(batch) == 0:
        raise ValueError(f"{name}: the batch is empty")
    first, kind = batch[0], _kind(batch[0])
    for i, example in enumerate(batch):
        if _kind(example) is not kind:
            raise ValueError(
                f"{name}: example {i} is a {type(example).__name__}, but example 0 a {type(first).__name__}"
            )
        if kind is tuple and len(example) != len(first):
            raise ValueError(f"{name}: example {i} has {len(example)} elements, but example 0 has {len(first)}")
        if kind is Mapping and example.keys() != first.keys():
            raise ValueError(f"{name}: example {i} has {sorted(example)} keys, but example 0 has {sorted(first)}")


def _kind(example: Any) -> type | None:
    """The structure that all examples of a batch must share; None for a single value."""
    if isinstance(example, tuple):
        return tuple
    return Mapping if isinstance(example, Mapping) else None


def _check_padding(padding: Any, given: Any, expected: Any) -> None:
    if given != expected:
        raise ValueError(f"concat_examples: padding {padding!r} does not fit examples of {expected} elements")


def _stack(arrays: Sequence[Any], device: Device | str | None, padding: Any, where: str) -> Array:
    xp = get_array_module(*arrays[:1])
    if not hasattr(arrays[0], "shape"):
        arrays = [np.asarray(x) for x in arrays]
    for i, x in enumerate(arrays):
        same = len(x.shape) == len(arrays[0].shape) if padding is not None else x.shape == arrays[0].shape
        if not same:
            hint = "; `padding` fills up smaller ones" if len(x.shape) == len(arrays[0].shape) else ""
            raise ValueError(
                f"concat_examples: example {i} has shape {x.shape}{where}, but example 0 has {arrays[0].shape}{hint}"
            )
    if padding is None:
        batch = together(arrays)
        return to_device(device, xp.stack(arrays) if batch is None else batch)
    dtype = xp.result_type(*{x.dtype for x in arrays})
    return to_device(device, stack_padded(xp, arrays, padding, dtype))


def stack_padded(xp: Any, arrays: Sequence[Array], padding: Any, dtype: Any) -> Array:
    """Pad arrays to the largest shape."""
    shape = tuple(max(extents) for extents in zip(*(x.shape for x in arrays), strict=True))
    if isinstance(padding, int):  # -1 means the largest number of an unsigned dtype; NumPy 2 would refuse it
        padding = np.asarray(padding).astype(dtype).item()
    result = xp.full((len(arrays), *shape), padding, dtype=dtype)
    for i, x in enumerate(arrays):
        result[(i, *map(slice, x.shape))] = x
    return result
