"""ADE20K, CamVid, Cityscapes."""

import numpy as np
import pytest

from renga_core.serializers import FileDamaged
from renga_cv.datasets.ade20k.ade20k_semantic_segmentation_dataset import ADE20KSemanticSegmentationDataset
from renga_cv.datasets.ade20k.ade20k_test_image_dataset import ADE20KTestImageDataset
from renga_cv.datasets.ade20k.labels import (
    ade20k_semantic_segmentation_label_colors,
    ade20k_semantic_segmentation_label_names,
)
from renga_cv.datasets.camvid.camvid_dataset import CamVidDataset
from renga_cv.datasets.camvid.labels import camvid_label_colors, camvid_label_names
from renga_cv.datasets.cityscapes.cityscapes_semantic_segmentation_dataset import (
    CityscapesSemanticSegmentationDataset,
)
from renga_cv.datasets.cityscapes.cityscapes_test_image_dataset import CityscapesTestImageDataset
from renga_cv.datasets.cityscapes.labels import (
    cityscapes_ids,
    cityscapes_semantic_segmentation_label_colors,
    cityscapes_semantic_segmentation_label_names,
)


def test_ade20k(tree):
    for name in ("b", "a"):
        tree.picture(f"images/validation/{name}.jpg")
        tree.pixels(f"annotations/validation/{name}.png", [[0, 150, ord(name)]])
    dataset = ADE20KSemanticSegmentationDataset(tree.root, "val")
    assert (len(dataset), dataset.keys) == (2, ("img", "label"))
    img, label = dataset[1]
    assert (img.shape, label.dtype, label.tolist()) == ((3, 4, 6), np.int32, [[-1, 149, ord("b") - 1]])
    tree.picture("images/validation/c.jpg")
    with pytest.raises(ValueError, match="3 pictures and 2 labels"):
        ADE20KSemanticSegmentationDataset(tree.root, "val")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*images.training"):
        ADE20KSemanticSegmentationDataset(tree.root)


def test_ade20k_test_pictures(tree):
    tree.picture("testing/a.jpg")
    tree.text("testing/list.txt")
    dataset = ADE20KTestImageDataset(tree.root)
    assert (len(dataset), dataset.keys, dataset[0].shape) == (1, "img", (3, 4, 6))


def test_camvid(tree):
    tree.text("val.txt", "/SegNet/CamVid/val/a.png /SegNet/CamVid/valannot/a.png", "", "val/b.png valannot/b.png")
    for name in ("a", "b"):
        tree.picture(f"val/{name}.png", (1, 2, ord(name)))
        tree.pixels(f"valannot/{name}.png", [[0, 10, 11]])
    dataset = CamVidDataset(tree.root, "val")
    assert (len(dataset), dataset.keys) == (2, ("img", "label"))
    img, label = dataset[1]
    assert img[:, 0, 0].tolist() == [1, 2, ord("b")]
    assert label.tolist() == [[0, 10, -1]]
    tree.text("train.txt", "a.png")
    with pytest.raises(FileDamaged, match=r"train\.txt"):
        CamVidDataset(tree.root)


@pytest.fixture
def cityscapes(tree):
    for city, name in (("ulm", "ulm_0_1"), ("aachen", "aachen_2_3")):
        tree.picture(f"leftImg8bit/train/{city}/{name}_leftImg8bit.png", (0, 0, len(city)))
        tree.picture(f"leftImg8bit/test/{city}/{name}_leftImg8bit.png", (0, 0, len(city)))
        tree.pixels(f"gtCoarse/train/{city}/{name}_gtCoarse_labelIds.png", [[0, 7, 33, 34, 6, 24]])
        tree.pixels(f"gtCoarse/train/{city}/{name}_gtCoarse_color.png", [[0]])
    return tree


def test_cityscapes(cityscapes):
    cityscapes.text("gtCoarse/train/notes.txt")
    dataset = CityscapesSemanticSegmentationDataset(cityscapes.root, "coarse")
    assert (len(dataset), dataset.keys) == (2, ("img", "label"))
    img, label = dataset[0]
    assert img[2, 0, 0] == len("aachen")
    assert (label.dtype, label.tolist()) == (np.int32, [[-1, 0, 18, -1, -1, 11]])
    assert cityscapes_semantic_segmentation_label_names[11] == "person"
    as_in_files = CityscapesSemanticSegmentationDataset(cityscapes.root, "coarse", ignore_labels=False)
    assert as_in_files[1][1].tolist() == [[0, 7, 33, 34, 6, 24]]


def test_cityscapes_test_pictures(cityscapes):
    cityscapes.text("leftImg8bit/test/notes.txt")
    dataset = CityscapesTestImageDataset(cityscapes.root)
    assert dataset.keys == "img"
    assert [img[2, 0, 0] for img in dataset] == [len("aachen"), len("ulm")]


def test_cityscapes_that_is_not_there(cityscapes):
    with pytest.raises(ValueError, match="label_resolution must be one of 'fine', 'coarse', not None"):
        CityscapesSemanticSegmentationDataset(cityscapes.root)
    with pytest.raises(FileNotFoundError, match=r"gtFine.*cityscapes-dataset\.com"):
        CityscapesSemanticSegmentationDataset(cityscapes.root, "fine")
    (cityscapes.root / "leftImg8bit/train/ulm/ulm_0_1_leftImg8bit.png").unlink()
    with pytest.raises(FileNotFoundError, match=r"ulm_0_1_leftImg8bit\.png"):
        CityscapesSemanticSegmentationDataset(cityscapes.root, "coarse")


@pytest.mark.parametrize("make", [CityscapesTestImageDataset, ADE20KTestImageDataset])
def test_pictures_that_are_not_there(make, tree):
    with pytest.raises(FileNotFoundError, match=str(tree.root)):
        make(tree.root)


def test_numbers_of_classes():
    assert len(ade20k_semantic_segmentation_label_names) == len(ade20k_semantic_segmentation_label_colors) == 150
    assert len(camvid_label_names) == len(camvid_label_colors) == 11
    assert len(cityscapes_semantic_segmentation_label_names) == len(cityscapes_semantic_segmentation_label_colors) == 19
    assert len(set(cityscapes_ids)) == 19
