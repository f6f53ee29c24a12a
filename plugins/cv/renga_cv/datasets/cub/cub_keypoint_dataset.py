"""CUB-200-2011 with the parts of each bird."""

from __future__ import annotations

import os
from typing import Any

from renga_core.serializers import FileDamaged
from renga_cv.datasets.cub.cub_utils import CUBDatasetBase, numbers

__all__ = ["CUBKeypointDataset"]

_PARTS = 15


class CUBKeypointDataset(CUBDatasetBase):
    """Photographs of birds, with the positions of 15 parts of each bird.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``point``, float32 ``(1, 15, 2)``, y and x; ``visible``,
    bool ``(1, 15)``; and on request ``bbox`` and ``prob_map`` as in `CUBLabelDataset`.

    Args:
        data_dir, return_bbox, prob_map_dir, return_prob_map: See `CUBLabelDataset`.

    Raises:
        FileNotFoundError, FileDamaged, DownloadError: See `CUBLabelDataset`.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        return_bbox: bool = False,
        prob_map_dir: str | os.PathLike[str] = "auto",
        return_prob_map: bool = False,
    ) -> None:
        super().__init__(data_dir, return_bbox, prob_map_dir, return_prob_map)
        # Number of the picture, number of the part, x, y, whether it is visible.
        path = os.path.join(self.data_dir, "parts", "part_locs.txt")
        table = numbers(path, 5)
        if len(table) != len(self.paths) * _PARTS:
            raise FileDamaged(path, f"{len(table)} lines for {len(self.paths)} pictures", f"a table of {_PARTS} parts")
        table = table.reshape(-1, 1, _PARTS, 5)
        self._points, self._visible = table[..., [3, 2]], table[..., 4].astype(bool)
        self.add_getter(("point", "visible"), self._part_locations)
        self.keys = ("img", "point", "visible", *self._more)

    def _part_locations(self, i: int) -> tuple[Any, Any]:
        return self._points[i], self._visible[i]
