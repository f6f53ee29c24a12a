"""The task `instance_segmentation`, its network, and masks in boxes."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes
from renga_cv.links.model.small.box_masks import masks_from_boxes, masks_in_boxes
from renga_cv.links.model.small.instance_segmenter import SmallInstanceSegmenter
from renga_cv.tasks.converter import pictures
from renga_cv.tasks.instance_segmentation import InstanceSegmentation


@pytest.fixture(scope="module")
def scenes():
    return get_digit_scenes("masks", 4, 1)


@pytest.fixture
def task(scenes):
    task = InstanceSegmentation()
    task.preprocessing = scenes.preprocessing
    return task


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 20), st.integers(0, 20), st.integers(4, 18), st.integers(4, 18), st.integers(0, 10**6))
def test_a_mask_survives_the_way_into_its_box_and_back(top, left, height, width, seed):
    # A blob: what is larger than a cell.
    y, x = np.mgrid[:40, :40] + 0.5
    box = np.array([[top, left, top + height, left + width]], np.float32)
    middle = (top + height / 2, left + width / 2)
    mask = (((y - middle[0]) / height) ** 2 + ((x - middle[1]) / width) ** 2 <= 0.25)[None]
    cells = masks_in_boxes(mask, box, 24)
    back = masks_from_boxes(np.where(cells, 1.0, -1.0), box, (40, 40))
    assert (back & mask).sum() / (back | mask).sum() > 0.8
    assert not back[0, :top].any()
    assert not back[0, :, left + width :].any()


def test_the_cells_of_a_box_that_a_mask_fills_are_covered():
    mask = np.zeros((1, 10, 10), bool)
    mask[0, 2:6, 3:9] = True
    assert masks_in_boxes(mask, np.array([[2, 3, 6, 9]]), 8).all()
    np.testing.assert_array_equal(masks_from_boxes(np.ones((1, 8, 8)), np.array([[2, 3, 6, 9]]), (10, 10)), mask)


def test_a_picture_in_which_all_was_found_has_full_marks(task, scenes):
    _, masks, labels = scenes[0][0]
    right = (masks, labels, np.linspace(0.9, 0.5, len(labels), dtype=np.float32), masks, labels)
    assert task.measure([[right]])["map"] == 1
    shifted = (np.roll(masks, 9, axis=2), *right[1:])
    assert task.measure([[shifted]])["map"] < 0.5


def test_a_step_of_training_and_a_prediction(task, scenes):
    network = SmallInstanceSegmenter(10, width=8)
    target = task.target(network)
    batch = pictures()(scenes[0][:3])
    loss = target(*batch)
    loss.backward()
    assert all(param.grad is not None for param in network.params())
    figures = task.measure([task.compare(target, *batch)])
    assert 0 <= figures["map"] <= 1


def test_pictures_of_another_size_and_pictures_without_objects_are_trained_on(task):
    network = SmallInstanceSegmenter(10, width=8)
    masks = np.zeros((1, 32, 48), bool)
    masks[0, 5:20, 8:30] = True
    image = np.full((3, 32, 48), 90, np.float32)
    loss = task.target(network)([image, image], [masks, masks[:0]], [np.array([4]), np.zeros(0, np.int32)])
    assert np.isfinite(loss.array)
    network.use_preset("evaluate")
    found, labels, scores = network.predict([image])
    assert found[0].shape == (len(labels[0]), 32, 48)
    assert len(scores[0]) <= network.limit


def test_the_document_has_masks_as_runs_of_pixels(task, scenes, tmp_path):
    image, masks, labels = scenes[0][1]

    class Sure(SmallInstanceSegmenter):
        def predict(self, imgs):
            empty = np.zeros((1, 64, 64), bool)
            found = np.concatenate([masks, empty]), np.append(labels, 3), np.full(len(labels) + 1, 0.8, np.float32)
            return tuple([each] * len(imgs) for each in found)

    task.predict_into(task.target(Sure(10, width=8)), [("a.png", image)], tmp_path)
    document = json.loads((tmp_path / "predictions.json").read_text())
    assert len(document["annotations"]) == len(labels), "without the empty mask"
    for each, mask in zip(document["annotations"], masks, strict=True):
        counts = each["segmentation"]["counts"]
        pixels = np.repeat(np.arange(len(counts)) % 2 == 1, counts).reshape(64, 64).T
        np.testing.assert_array_equal(pixels, mask)
        assert each["area"] == mask.sum()
