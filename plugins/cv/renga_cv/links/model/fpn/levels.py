"""The level of a feature pyramid for each region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, get_device_of, to_host
from renga_core.graph import Variable
from renga_nn.functions.array.concat import concat
from renga_nn.functions.pooling import roi_average_align_2d

__all__ = ["Levels", "by_level", "level_of", "pool_levels"]

Host = np.ndarray[Any, Any]

CANONICAL_SIZE = 224
CANONICAL_LEVEL = 2
"""A region of this size, in pixels, belongs to this level (Lin et al. 2017, equation 1)."""


def level_of(rois: Host, n_level: int) -> Host:
    """The level of each region: one finer for each half of the canonical size. The coarsest one has none.

    Args:
        rois: Regions, ``(R, 4)``.
        n_level: Number of levels.

    Returns:
        Integers ``(R,)`` from 0 to ``n_level - 2``.
    """
    size = np.sqrt(np.prod(rois[:, 2:] - rois[:, :2], axis=1))
    level = np.floor(np.log2(size / CANONICAL_SIZE + 1e-6)) + CANONICAL_LEVEL
    return np.asarray(np.clip(level, 0, n_level - 2), np.intp)


def by_level(rois: Array, roi_indices: Array, n_level: int) -> tuple[list[Array], list[Array], Array]:
    """Sort regions into levels.

    Args:
        rois: Regions ``(R, 4)``.
        roi_indices: The image index of each region, ``(R,)``.
        n_level: Number of levels.

    Returns:
        The regions of each level, their image indices, and the order: ``concatenate(sorted)[order]`` is `rois`.
    """
    device = get_device_of(rois)
    host, indices = to_host(rois), to_host(roi_indices)
    level = level_of(host, n_level)
    chosen = [np.flatnonzero(level == number) for number in range(n_level)]
    order = np.argsort(np.concatenate(chosen)).astype(np.int32)
    return (
        [device.send(host[index]) for index in chosen],
        [device.send(indices[index]) for index in chosen],
        device.send(order),
    )


def pool_levels(
    hs: Sequence[Any], rois: Sequence[Array], roi_indices: Sequence[Array], outsize: int, scales: Sequence[float]
) -> Variable:
    """The features of regions, each from its level: ``(R, C, outsize, outsize)``, level by level."""
    pooled = [
        roi_average_align_2d(h, roi, index, outsize, scale, sampling_ratio=2)
        for h, roi, index, scale in zip(hs, rois, roi_indices, scales, strict=True)
        if len(roi)
    ]
    if not pooled:
        return roi_average_align_2d(hs[0], rois[0], roi_indices[0], outsize, scales[0], sampling_ratio=2)
    return concat(pooled, axis=0)


@dataclass(frozen=True, slots=True)
class Levels:
    """The level of each row of some tables.

    Attributes:
        device: The device of the original tables.
        level: Integers ``(R,)``.
        number: Number of levels.
    """

    device: Device
    level: Host
    number: int

    @staticmethod
    def of(*tables: Sequence[Array]) -> tuple[Levels, list[Host]]:
        """The levels of the rows of tables that are given level by level; and each table joined on the host."""
        sizes = [len(rows) for rows in tables[0]]
        level = np.repeat(np.arange(len(sizes)), sizes)
        joined = [np.concatenate([to_host(rows) for rows in table], axis=0) for table in tables]
        return Levels(get_device_of(tables[0][0]), level, len(sizes)), joined

    def split(self, chosen: Host, *tables: Host) -> list[list[Array]]:
        """The chosen rows of each table, level by level, on the device."""
        rows = [np.flatnonzero(chosen & (self.level == number)) for number in range(self.number)]
        return [[self.device.send(table[index]) for index in rows] for table in tables]
