"""``chainer.device_resident``."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, DeviceResident
from renga_core.graph import Variable

__all__ = ["DeviceResident", "DeviceResidentsVisitor"]


class DeviceResidentsVisitor:
    """Visitor of the objects, arrays and Variables of a tree, for `device_resident_accept`."""

    def visit_device_resident(self, device_resident: DeviceResident) -> Any:
        """Visit an object with a device."""
        raise NotImplementedError

    def visit_array(self, arr: Array) -> Array:
        """Visit an array and return its replacement."""
        raise NotImplementedError

    def visit_variable(self, param: Variable) -> Any:
        """Visit a Variable or Parameter."""
        raise NotImplementedError
