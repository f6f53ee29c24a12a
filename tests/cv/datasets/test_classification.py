"""CUB-200-2011, Stanford Online Products, folders of classes, pairs and mixtures."""

import numpy as np
import pytest

from renga_core import random
from renga_core.serializers import FileDamaged
from renga_cv.datasets.cub.cub_keypoint_dataset import CUBKeypointDataset
from renga_cv.datasets.cub.cub_label_dataset import CUBLabelDataset
from renga_cv.datasets.cub.labels import cub_label_names
from renga_cv.datasets.directory_parsing_label_dataset import (
    DirectoryParsingLabelDataset,
    directory_parsing_label_names,
)
from renga_cv.datasets.mixup_soft_label_dataset import MixUpSoftLabelDataset
from renga_cv.datasets.online_products.online_products_dataset import OnlineProductsDataset
from renga_cv.datasets.siamese_dataset import SiameseDataset


@pytest.fixture
def birds(tree):
    tree.text("cub/images.txt", "1 001.Albatross/a.jpg", "2 200.Yellowthroat/b.jpg")
    tree.text("cub/image_class_labels.txt", "1 1", "2 200")
    tree.text("cub/bounding_boxes.txt", "1 1.0 2.0 3.0 1.5", "2 0.0 0.0 6.0 4.0")
    tree.text("cub/parts/part_locs.txt", *(f"{i} {p} {p}.5 {i}.0 {int(p == 3)}" for i in (1, 2) for p in range(1, 16)))
    for name in ("001.Albatross/a", "200.Yellowthroat/b"):
        tree.picture(f"cub/images/{name}.jpg")
        tree.pixels(f"segmentations/{name}.png", [[0, 51, 255]])
    return tree


def test_birds(birds):
    dataset = CUBLabelDataset(birds.root / "cub", True, birds.root / "segmentations", True)
    assert (len(dataset), dataset.keys) == (2, ("img", "label", "bbox", "prob_map"))
    img, label, bbox, prob_map = dataset[0]
    assert (img.shape, label, label.dtype) == ((3, 4, 6), 0, np.int32)
    assert (bbox.tolist(), bbox.dtype) == ([[2, 1, 3.5, 4]], np.float32)
    np.testing.assert_allclose(prob_map, [[0, 0.2, 1]])
    assert prob_map.dtype == np.float32
    assert dataset.slice[:, "label"][1] == 199
    assert CUBLabelDataset(birds.root / "cub").keys == ("img", "label")
    assert len(cub_label_names) == 200


def test_parts_of_birds(birds):
    dataset = CUBKeypointDataset(birds.root / "cub", return_bbox=True)
    assert dataset.keys == ("img", "point", "visible", "bbox")
    _, point, visible, _ = dataset[1]
    assert (point.shape, point.dtype, visible.shape, visible.dtype) == ((1, 15, 2), np.float32, (1, 15), bool)
    assert point[0, 4].tolist() == [2, 5.5]
    assert np.flatnonzero(visible[0]).tolist() == [2]
    path = birds.text("cub/parts/part_locs.txt", "1 1 2.0 3.0 1")
    with pytest.raises(FileDamaged, match=str(path)):
        CUBKeypointDataset(birds.root / "cub")


def test_damaged_lists_of_birds(birds):
    for name, line in (("bounding_boxes.txt", "1 2 3"), ("images.txt", "1")):
        path = birds.text(f"cub/{name}", line)
        with pytest.raises(FileDamaged, match=str(path)):
            CUBLabelDataset(birds.root / "cub")


def test_products(tree):
    header = "image_id class_id super_class_id path"
    path = tree.text("Ebay_test.txt", header, "59552 11319 1 bicycle_final/a.JPG", "59553 11320 12 toaster_final/b.JPG")
    tree.picture("toaster_final/b.JPG")
    dataset = OnlineProductsDataset(tree.root, "test")
    assert (len(dataset), dataset.keys) == (2, ("img", "label", "super_label"))
    img, label, super_label = dataset[1]
    assert (img.shape, label, super_label, label.dtype) == ((3, 4, 6), 11319, 11, np.int32)
    tree.text(path, header, "1 2")
    with pytest.raises(FileDamaged, match=r"Ebay_test\.txt"):
        OnlineProductsDataset(tree.root, "test")


def test_folders(tree):
    for name in ("10/b.png", "10/deeper/a.PNG", "2/c.png"):
        tree.picture(name)
    tree.text("2/list.txt")
    tree.text("not a folder.png")
    dataset = DirectoryParsingLabelDataset(tree.root)
    names = [path.removeprefix(f"{tree.root}/") for path in dataset.img_paths]
    assert (names, dataset.labels.tolist()) == (["10/b.png", "10/deeper/a.PNG", "2/c.png"], [0, 0, 1])
    assert directory_parsing_label_names(tree.root) == ["10", "2"]
    img, label = dataset[2]
    assert (img.shape, label, label.dtype) == ((3, 4, 6), 1, np.int32)
    assert DirectoryParsingLabelDataset(tree.root, color=False)[0][0].shape == (1, 4, 6)
    numbers = DirectoryParsingLabelDataset(tree.root, lambda path: path.endswith("g"), numerical_sort=True)
    assert numbers.labels.tolist() == [0, 1]
    (tree.root / "cats").mkdir()
    with pytest.raises(ValueError, match="'cats'"):
        directory_parsing_label_names(tree.root, numerical_sort=True)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        DirectoryParsingLabelDataset(tree.root / "nowhere")


def labelled(*labels):
    return [(np.full((1, 2), i, np.float32), np.int32(label)) for i, label in enumerate(labels)]


@pytest.mark.parametrize("pos_ratio", [None, 0, 0.25, 1])
@pytest.mark.parametrize("given", [False, True])
def test_pairs(pos_ratio, given):
    random.seed(0)
    first, second = (0, 0, 1, 7), (1, 0, 2)
    options = {"labels_0": np.array(first), "labels_1": list(second)} if given else {}
    dataset = SiameseDataset(labelled(*first), labelled(*second), pos_ratio, 400, **options)
    assert (len(dataset), dataset.keys) == (400, ("img_0", "label_0", "img_1", "label_1"))
    pairs = dataset[:]
    for img_0, label_0, img_1, label_1 in pairs:
        assert (first[int(img_0[0, 0])], second[int(img_1[0, 0])]) == (label_0, label_1)
    same = np.mean([label_0 == label_1 for _, label_0, _, label_1 in pairs])
    assert abs(same - (0.25 if pos_ratio is None else pos_ratio)) < (0 if pos_ratio in (0, 1) else 0.08) + 1e-9
    assert len({(int(a[0, 0]), int(b[0, 0])) for a, _, b, _ in pairs}) == {None: 12, 0: 9, 0.25: 12, 1: 3}[pos_ratio]
    assert len(SiameseDataset(labelled(*first), labelled(*second), pos_ratio)) == 4


@pytest.mark.parametrize(
    ("first", "second", "options", "said"),
    [
        ((1, 1), (1,), {"pos_ratio": 0.5}, "the same label"),
        ((1, 2), (3,), {"pos_ratio": 0.5}, "no label in common"),
        ((1, 2), (1,), {"pos_ratio": 1.5}, "from 0 to 1, not 1.5"),
        ((1, 2), (1,), {"pos_ratio": 0.5, "labels_0": [1]}, r"labels have shape \(1,\), but the data set has 2"),
        ((), (1,), {}, "at least one example"),
    ],
)
def test_pairs_that_cannot_be(first, second, options, said):
    with pytest.raises(ValueError, match=said):
        SiameseDataset(labelled(*first), labelled(*second), **options)


def test_mixtures():
    random.seed(1)
    pair = (np.full((1, 2), 10, np.float32), np.int32(2), np.full((1, 2), 20, np.float32), np.int32(0))
    dataset = MixUpSoftLabelDataset([pair] * 50, 4, alpha=0.5)
    for img, label in dataset:
        assert (img.dtype, label.dtype) == (np.float32, np.float32)
        np.testing.assert_allclose(img, 10 * label[2] + 20 * label[0], rtol=1e-6)
        np.testing.assert_allclose(label, [1 - label[2], 0, label[2], 0], atol=1e-6)
    assert len({label[2] for _, label in dataset}) == 50
    same = (pair[0], np.int32(1), pair[2], np.int32(1))
    assert MixUpSoftLabelDataset([same], 2)[0][1].tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"\(1, 2\) and \(1, 3\)"):
        MixUpSoftLabelDataset([(pair[0], 0, np.zeros((1, 3)), 0)], 2)[0]
