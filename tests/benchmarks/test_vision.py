"""What the vision workloads start from."""

import importlib
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


def test_all_are_written_with_renga():
    with_renga = importlib.import_module("benchmarks.programs.vision.with_renga")
    workloads = importlib.import_module("benchmarks.workloads")
    assert list(with_renga.PROGRAMS[""]) == [workload.name for workload in workloads.named("vision")]


def test_a_library_without_programs_in_the_folder_has_not_the_workload():
    worker = importlib.import_module("benchmarks.worker")
    assert worker.programs("numpy", "vision/nms_1000") is None
    assert worker.programs("numpy", "overhead_1").__name__ == "benchmarks.programs.with_numpy"


def test_moves_of_boxes_have_y_first():
    recipes = importlib.import_module("benchmarks.programs.vision.recipes")
    theirs = np.array([[f"d{what}{box}" for what in "xywh"] for box in range(2)]).ravel()
    change = recipes.faster_rcnn()["rpn/loc/b"].change
    assert change(theirs).tolist() == ["dy0", "dx0", "dh0", "dw0", "dy1", "dx1", "dh1", "dw1"]
    W = np.arange(8 * 3).reshape(8, 3, 1, 1)
    assert change(W)[:, 0, 0, 0].tolist() == [3, 0, 9, 6, 15, 12, 21, 18]


def test_objects_lie_in_their_pictures():
    data = importlib.import_module("benchmarks.programs.vision.data")
    for picture, (boxes, labels, masks) in zip(data.pictures(2), data.objects(2), strict=True):
        assert masks.shape == (len(boxes), *picture.shape[1:])
        assert len(labels) == len(boxes)
        for box, mask in zip(boxes, masks, strict=True):
            y, x = np.nonzero(mask)
            np.testing.assert_allclose([y.min(), x.min(), y.max() + 1, x.max() + 1], box, atol=3)
