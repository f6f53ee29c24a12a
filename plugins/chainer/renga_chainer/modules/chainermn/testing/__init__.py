"""``chainermn.testing``."""

from __future__ import annotations

from renga.backend import Device
from renga.backend import get_device as find

__all__ = ["get_device"]


def get_device(device_id: int | None = None, use_chainerx: bool = False) -> Device:
    """Return the CPU, or the GPU with that number; the same for ChainerX."""
    return find("@numpy" if device_id is None else f"@cupy:{device_id}")
