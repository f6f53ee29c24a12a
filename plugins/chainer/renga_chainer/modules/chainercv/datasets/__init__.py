"""``chainercv.datasets``."""

from __future__ import annotations

import os

from renga.cv import datasets

__all__ = ["CamVidDataset"]


class CamVidDataset(datasets.CamVidDataset):
    """Renga's data set, with ChainerCV's key for labels: ``iabel``."""

    def __init__(self, data_dir: str | os.PathLike[str] = "auto", split: str = "train") -> None:
        super().__init__(data_dir, split)
        self.add_getter("iabel", self._label)
        self.keys = ("img", "iabel")
