"""Devices by number, as programs of Chainer's say them."""

from __future__ import annotations

import numpy as np

from renga_core.backend import device_names

__all__ = ["install", "uninstall"]

_NUMBERS = (int, np.int32, np.int64)


def _name(number: int) -> str:
    """``numpy`` for -1, ``cupy:0`` for 0."""
    return "numpy" if number < 0 else f"cupy:{number}"


def install() -> None:
    """Let a number name a device."""
    device_names.update(dict.fromkeys(_NUMBERS, _name))


def uninstall() -> None:
    """As before."""
    for number in _NUMBERS:
        device_names.pop(number, None)
