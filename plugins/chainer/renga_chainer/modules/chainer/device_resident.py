"""``chainer.device_resident``."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, DeviceResident
from renga_core.graph import Variable

__all__ = ["DeviceResident", "DeviceResidentsVisitor"]


class DeviceResidentsVisitor:
    """What `device_resident_accept` shows the objects, arrays and variables of a tree."""

    def visit_device_resident(self, device_resident: DeviceResident) -> Any:
        """An object with a device."""
        raise NotImplementedError

    def visit_array(self, arr: Array) -> Array:
        """An array; what is returned takes its place."""
        raise NotImplementedError

    def visit_variable(self, param: Variable) -> Any:
        """A Variable or Parameter."""
        raise NotImplementedError
