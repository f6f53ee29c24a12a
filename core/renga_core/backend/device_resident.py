"""Objects that live on a device and can be moved."""

from __future__ import annotations

from typing import Any, Self

from renga_core.backend.device import Device, default_device, get_device

__all__ = ["DeviceResident"]


class DeviceResident:
    """Base class of objects with arrays on one device, such as links. A subclass moves its arrays in `to_device`."""

    _device: str | None = None

    @property
    def device(self) -> Device:
        """The device that `to_device` moved this object to; before that, the default device for parameters."""
        return default_device() if self._device is None else get_device(self._device)

    @property
    def xp(self) -> Any:
        """The array namespace of `device`."""
        return self.device.xp

    def to_device(self, device: str | Device) -> Self:
        """Move to a device. A subclass with arrays moves them and calls ``super().to_device(device)``.

        Args:
            device: Device or name of a device, such as ``"numpy"`` or ``"cupy:0"``.

        Returns:
            This object.
        """
        # Keep the name, not the Device: a link may be copied or pickled to another process.
        self._device = get_device(device).name
        return self

    def to_cpu(self) -> Self:
        """Move to the CPU: ``to_device("numpy")``."""
        return self.to_device("numpy")

    def to_gpu(self, device: int | Device | None = None) -> Self:
        """Move to an NVIDIA GPU: ``to_device("cupy:0")``.

        Args:
            device: Number of the GPU, or a Device; GPU 0 if None.
        """
        return self.to_device(device if isinstance(device, Device) else f"cupy:{device or 0}")
