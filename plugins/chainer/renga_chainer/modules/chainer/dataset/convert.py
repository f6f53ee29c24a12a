"""``chainer.dataset.convert``: converters receive a device or its number, as in Chainer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from renga_chainer.backend import get_device_from_array
from renga_core.backend import Array, Device
from renga_core.dataset import Converter
from renga_data.async_transfer import Conveyor as Conveyor
from renga_data.convert import concat_examples, stack_padded
from renga_training.updaters.parts import converted

__all__ = ["Conveyor", "call_converter", "concat_examples_func"]

concat_examples_func = concat_examples


def call_converter(converter: Callable[..., Any], batch: Any, device: Device | None) -> Any:
    """Convert a batch. Results of ``chainer.dataset.converter()`` receive the device; plain functions its number."""
    if device is None or isinstance(converter, Converter):
        return converted(converter, batch, device)
    if device.xp is np:
        return converted(converter, batch, -1)
    return converted(converter, batch, device.index if device.backend.name == "cupy" else device)


def _concat_arrays(arrays: Any, padding: Any) -> Array:
    """Stack arrays of one shape; with a padding value, of any shapes."""
    if not hasattr(arrays[0], "dtype"):
        arrays = np.asarray(arrays)
    if padding is not None:
        return _concat_arrays_with_padding(arrays, padding)
    device = get_device_from_array(arrays[0])
    with device.use():
        made: Array = device.xp.concatenate([array[None] for array in arrays])
    return made


def _concat_arrays_with_padding(arrays: Sequence[Array], padding: Any) -> Array:
    """Stack arrays, each padded to the largest shape."""
    device = get_device_from_array(arrays[0])
    with device.use():
        return stack_padded(device.xp, arrays, padding, arrays[0].dtype)


_call_converter = call_converter
"""The name under which updaters of programs call it."""
