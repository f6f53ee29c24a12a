"""``chainer.dataset.convert``: converters get a device, or its number, as Chainer's do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import Device
from renga_core.dataset import Converter
from renga_data.convert import concat_examples
from renga_data.conveyor import Conveyor as Conveyor

__all__ = ["Conveyor", "call_converter", "concat_examples_func"]

concat_examples_func = concat_examples


def call_converter(converter: Callable[..., Any], batch: Any, device: Device | None) -> Any:
    """Convert a batch. What ``chainer.dataset.converter()`` has made gets the device; a plain function its number."""
    if device is None or isinstance(converter, Converter):
        return converter(batch, device)
    if device.xp is np:
        return converter(batch, -1)
    return converter(batch, device.index if device.backend.name == "cupy" else device)


_call_converter = call_converter
"""The name that updaters of programs call it by."""
