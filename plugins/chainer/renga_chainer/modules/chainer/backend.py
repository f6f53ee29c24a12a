"""``chainer.backend``: devices under Chainer's names."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from renga_chainer.backend import CpuDevice, GpuDevice, copyto, from_chx, get_device_from_array
from renga_chainer.modules.chainer.backends.intel64 import Intel64Device
from renga_core.backend import Array, Device, get_backend, get_device, using_device

__all__ = [
    "ChainerxDevice",
    "CpuDevice",
    "Device",
    "GpuDevice",
    "Intel64Device",
    "copyto",
    "from_chx",
    "get_device_from_array",
    "to_chx",
    "using_device",
]


class ChainerxDevice:
    """Stand-in for ChainerX devices; no device is an instance."""

    def __init__(self, device: Any = None) -> None:
        raise RuntimeError("ChainerX is not available.")

    @staticmethod
    def from_array(array: Array) -> None:
        """Return None: no array belongs to ChainerX."""

    @staticmethod
    def from_fallback_device(device: Device) -> ChainerxDevice:
        """Raise an error: Renga has no ChainerX."""
        return ChainerxDevice(device)


def to_chx(array: Any) -> Any:
    """Raise an error: Renga has no ChainerX.

    Raises:
        RuntimeError: Always.
    """
    raise RuntimeError("ChainerX is not available.")


def __getattr__(name: str) -> Any:
    if name in ("cuda", "intel64"):
        return importlib.import_module(f"chainer.backends.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _guess_device_from_array_module(xp: Any) -> Device:
    """Return the device for a module of arrays: the CPU, or the current GPU."""
    return get_device("numpy") if xp is np else GpuDevice(xp.cuda.Device())


def _contains_nan(x: Array) -> bool:
    """Whether a floating-point array contains NaN."""
    return x.dtype.kind in "fc" and bool(get_backend(x).xp.isnan(x).any())
