"""Cityscapes with a class for each pixel."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from renga_cv.datasets.cityscapes.cityscapes_utils import ADVICE, get_cityscapes
from renga_cv.datasets.cityscapes.labels import cityscapes_ids
from renga_cv.datasets.folders import check_choice, files_in, folders_in, require_folder
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.utils.image import read_image, read_label

__all__ = ["CityscapesSemanticSegmentationDataset"]

_CLASS_OF = np.full(256, -1, np.int32)
_CLASS_OF[list(cityscapes_ids)] = range(len(cityscapes_ids))


class CityscapesSemanticSegmentationDataset(GetterDataset):
    """Pictures from cars, each pixel of which has one of 19 classes.

    An example has the elements ``img``, float32 ``(3, H, W)``; ``label``, int32 ``(H, W)``, -1 for ignored pixels.
    Names of classes: `cityscapes_semantic_segmentation_label_names`.

    Args:
        data_dir: The folder that contains ``leftImg8bit``, and ``gtFine`` or ``gtCoarse``; ``"auto"``:
            ``pfnet/chainercv/cityscapes`` of ``dataset.root``. It cannot be downloaded without an account.
        label_resolution: ``"fine"`` or ``"coarse"``.
        split: The subfolder: ``"train"``, ``"val"``; coarse labels have more.
        ignore_labels: If True, classes have the numbers used in evaluations, and ignored pixels are -1. If False,
            labels are the numbers in the files.

    Raises:
        ValueError: `label_resolution` has another value.
        FileNotFoundError: A folder, or the picture of a label, is missing.

    Source: M. Cordts et al., *The Cityscapes Dataset for Semantic Urban Scene Understanding*, 2016.
    """

    def __init__(
        self,
        data_dir: str | os.PathLike[str] = "auto",
        label_resolution: str | None = None,
        split: str = "train",
        ignore_labels: bool = True,
    ) -> None:
        super().__init__()
        name = "CityscapesSemanticSegmentationDataset"
        check_choice(name, "label_resolution", label_resolution, ("fine", "coarse"))
        root = get_cityscapes() if data_dir == "auto" else os.fspath(data_dir)
        kind = "gtFine" if label_resolution == "fine" else "gtCoarse"
        images, labels = os.path.join(root, "leftImg8bit", split), os.path.join(root, kind, split)
        for folder in (images, labels):
            require_folder(name, folder, ADVICE)
        self.ignore_labels = ignore_labels
        self.img_paths: list[str] = []
        self.label_paths: list[str] = []
        ending = f"_{kind}_labelIds.png"
        for city in folders_in(labels):
            for path in files_in(name, os.path.join(labels, city), ending):
                image = os.path.join(images, city, os.path.basename(path).removesuffix(ending) + "_leftImg8bit.png")
                if not os.path.isfile(image):
                    raise FileNotFoundError(f"{name}: there is no file {image}, which belongs to {path}")
                self.img_paths.append(image)
                self.label_paths.append(path)
        self.add_getter("img", self._image)
        self.add_getter("label", self._label)

    def __len__(self) -> int:
        return len(self.img_paths)

    def _image(self, i: int) -> Any:
        return read_image(self.img_paths[i], color=True)

    def _label(self, i: int) -> Any:
        label = read_label(self.label_paths[i])
        return _CLASS_OF[label] if self.ignore_labels else label
