import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_core.errors import RengaError
from renga_core.serializers import FileDamaged
from renga_cv.datasets.coco.coco_bbox_dataset import COCOBboxDataset
from renga_cv.datasets.coco.coco_instance_segmentation_dataset import COCOInstanceSegmentationDataset
from renga_cv.datasets.coco.coco_semantic_segmentation_dataset import COCOSemanticSegmentationDataset
from renga_cv.datasets.coco.labels import (
    coco_bbox_label_names,
    coco_semantic_segmentation_label_colors,
    coco_semantic_segmentation_label_names,
)
from renga_cv.datasets.coco.masks import decoded

CATEGORIES = [{"id": 1, "name": "person"}, {"id": 13, "name": "stop sign"}]
RECTANGLE = [[1, 0, 4, 0, 4, 2, 1, 2]]  # x, y of its corners
RUNS = {"size": [4, 6], "counts": [4, 8, 12]}  # by columns: the second and the third


def annotation(category, bbox, segmentation=RECTANGLE, iscrowd=0):
    return {
        "image_id": 7,
        "category_id": category,
        "bbox": bbox,
        "area": 5.5,
        "iscrowd": iscrowd,
        "segmentation": segmentation,
    }


@pytest.fixture
def instances(tree):
    content = {
        "images": [
            {"id": 9, "file_name": "9.jpg", "height": 4, "width": 6},
            {"id": 7, "file_name": "7.jpg", "height": 4, "width": 6},
        ],
        "categories": CATEGORIES,
        "annotations": [
            annotation(13, [1, 0, 3, 2]),
            annotation(1, [2, 2, 0, 1]),
            annotation(1, [1, 0, 2, 4], RUNS, 1),
            annotation(1, [0.5, 1.5, 2, 1], []),
        ],
    }
    tree.text("annotations/instances_minival2014.json", json.dumps(content))
    for name in (7, 9):
        tree.picture(f"images/val2014/{name}.jpg")
    return tree


def test_boxes(instances):
    dataset = COCOBboxDataset(instances.root, "minival", "2014", True, True, True)
    assert (len(dataset), dataset.ids, dataset.cat_ids) == (2, [7, 9], [1, 13])
    assert dataset.keys == ("img", "bbox", "label", "area", "crowded")
    img, bbox, label, area, crowded = dataset[0]
    assert img.shape == (3, 4, 6)
    assert bbox.tolist() == [[0, 1, 2, 4], [0, 1, 4, 3], [1.5, 0.5, 2.5, 2.5]]  # without that of no width
    assert (label.tolist(), area.tolist(), crowded.tolist()) == ([1, 0, 0], [5.5] * 3, [False, True, False])
    assert [array.dtype for array in (bbox, label, area, crowded)] == [np.float32, np.int32, np.float32, bool]
    for array in dataset[1][1:]:
        assert len(array) == 0
    assert dataset[1][1].shape == (0, 4)


def test_without_crowds(instances):
    dataset = COCOBboxDataset(instances.root, "minival", "2014")
    assert dataset.keys == ("img", "bbox", "label")
    assert dataset.slice[:, "label"][0].tolist() == [1, 0]


def test_masks_are_as_many_as_boxes(instances):
    pytest.importorskip("pycocotools")
    dataset = COCOInstanceSegmentationDataset(instances.root, "minival", "2014", True, True, True, True)
    assert dataset.keys == ("img", "mask", "label", "area", "crowded", "bbox")
    mask, label, bbox = dataset.slice[:, ("mask", "label", "bbox")][0]
    assert (mask.dtype, len(mask), len(label), len(bbox)) == (bool, 3, 3, 3)
    rectangle, columns = np.zeros((2, 4, 6), bool)
    rectangle[0:2, 1:4], columns[:, 1:3] = True, True
    np.testing.assert_array_equal(mask, [rectangle, columns, np.zeros((4, 6), bool)])
    assert dataset[1][1].shape == (0, 4, 6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.05, 0.5, 0.99]))
def test_run_lengths(seed, share):
    """Packed and decoded by pycocotools; runs of more than 16 and of more than 512 pixels have longer numbers."""
    tools = pytest.importorskip("pycocotools.mask")
    rng = np.random.default_rng(seed)
    mask = np.repeat(rng.random(rng.integers(1, 9, 2)) < share, rng.choice([1, 30, 700]), axis=0)
    packed = tools.encode(np.asfortranarray(mask, np.uint8))["counts"].decode()
    np.testing.assert_array_equal(decoded({"counts": packed}, *mask.shape), mask)
    with pytest.raises(ValueError, match="run lengths"):
        decoded({"counts": packed}, len(mask) + 1, mask.shape[1])


def test_masks_without_pycocotools(instances, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"renga\[coco\]"):
        COCOInstanceSegmentationDataset(instances.root, "minival", "2014")


def test_classes_of_pixels(tree):
    numbers = np.array([[0, 5, 5], [300, 300, 70000]])
    content = {
        "categories": CATEGORIES,
        "annotations": [
            {
                "file_name": "000.png",
                "segments_info": [
                    {"id": 5, "category_id": 13},
                    {"id": 300, "category_id": 1},
                    {"id": 70000, "category_id": 13},
                ],
            }
        ],
    }
    tree.text("annotations/panoptic_val2017.json", json.dumps(content))
    tree.pixels("annotations/panoptic_val2017/000.png", np.stack([numbers, numbers >> 8, numbers >> 16], 2) % 256)
    tree.picture("images/val2017/000.jpg", size=(2, 3))
    dataset = COCOSemanticSegmentationDataset(tree.root, "val")
    img, label = dataset[0]
    assert (img.shape, label.dtype) == ((3, 2, 3), np.int32)
    assert label.tolist() == [[-1, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize("content", ["{", "[]", '{"images": [], "annotations": []}', '{"images": [{}]}'])
def test_damaged_annotations(tree, content):
    for kind, make in (("instances", COCOBboxDataset), ("panoptic", COCOSemanticSegmentationDataset)):
        path = tree.text(f"annotations/{kind}_train2017.json", content)
        with pytest.raises(FileDamaged, match=str(path)):
            make(tree.root)


def test_what_is_not_there(tree):
    for make in (COCOBboxDataset, COCOSemanticSegmentationDataset):
        with pytest.raises(FileNotFoundError, match=r"there is no file .*val2017.json"):
            make(tree.root, "val")
        with pytest.raises(ValueError, match="'train', 'val', not 'minival'"):
            make(tree.root, "minival")
    with pytest.raises(ValueError, match="year"):
        COCOBboxDataset(tree.root, "val", "2015")


def test_names():
    assert (len(coco_bbox_label_names), len(coco_semantic_segmentation_label_names)) == (80, 133)
    assert coco_semantic_segmentation_label_names[:80] == coco_bbox_label_names
    assert len(coco_semantic_segmentation_label_colors) == 133
