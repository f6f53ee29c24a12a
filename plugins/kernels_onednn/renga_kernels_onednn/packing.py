"""Weights of frozen models, in the orders that primitives have chosen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_onednn.handles import Description, Layout
from renga_kernels_onednn.library import WEIGHTS
from renga_kernels_onednn.primitive import reorder

__all__ = ["Packed", "Packing"]

Ints = tuple[int, ...]


class Packed(NamedTuple):
    """Weights in the order that a primitive has chosen; see `Packing`."""

    array: Array
    description: Description
    shape: Ints
    plain: Layout
    images: Ints

    def unpacked(self) -> Array:
        """The weights as they were."""
        unpack = reorder(self.description.layout(WEIGHTS), self.plain)
        made: Array = self.array.copy() if unpack is None else np.empty(self.shape, np.float32)
        if unpack is not None:
            unpack(address(self.array), address(made))
        if self.images:
            channels, *size = self.images
            made = np.moveaxis(made.reshape(-1, *size, channels), -1, 1)
        return made.reshape(self.shape)


class Packing:
    """Packs each constant once for each order: plans for several sizes of the batch share it."""

    def __init__(self) -> None:
        self._packed: dict[tuple[int, Ints], list[Packed]] = {}

    def __call__(self, weights: Any, shape: Ints, plain: Layout, description: Description, images: Ints = ()) -> Packed:
        """Weights in the order that a primitive has chosen.

        Args:
            weights: The constant.
            shape: Its shape.
            plain: Its layout in memory.
            description: Description of the primitive.
            images: ``(C, *size)`` if the columns come from images with channels last.
        """
        wanted = description.layout(WEIGHTS)
        kept = self._packed.setdefault((weights.number, images), [])
        for each in kept:
            if reorder(each.description.layout(WEIGHTS), wanted) is None:
                return each
        source = np.ascontiguousarray(weights.array())
        if images:
            source = np.moveaxis(source.reshape(-1, *images), 1, -1)
        pack, array = reorder(plain, wanted), source.reshape(shape)
        made: Array = array.copy() if pack is None else np.empty(description.bytes(WEIGHTS), np.uint8)
        if pack is not None:
            pack(address(array), address(made))
        kept.append(Packed(made, description, shape, plain, images))
        return kept[-1]
