"""``chainer.types``: for annotations."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING as TYPE_CHECKING
from typing import Any, Protocol

from renga_core.backend import Array

__all__ = [
    "TYPE_CHECKING",
    "AbstractInitializer",
    "CudaDeviceSpec",
    "DTypeSpec",
    "DeviceSpec",
    "InitializerSpec",
    "NdArray",
    "ScalarValue",
    "Shape",
    "ShapeSpec",
    "Xp",
]

Shape = tuple[int, ...]
ShapeSpec = int | Sequence[int]
DTypeSpec = Any
NdArray = Array
Xp = Any
ScalarValue = numbers.Number | Array
DeviceSpec = Any
CudaDeviceSpec = Any


class AbstractInitializer(Protocol):
    """Fills an array in place."""

    dtype: Any

    def __call__(self, array: NdArray) -> None:
        """Fill `array`."""


InitializerSpec = AbstractInitializer | ScalarValue | Callable[[NdArray], None]
