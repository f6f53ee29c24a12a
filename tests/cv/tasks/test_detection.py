"""The task `detection`."""

import json

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes
from renga_cv.links.model.small.detector import SmallDetector
from renga_cv.tasks.converter import pictures
from renga_cv.tasks.detection import Detection, evaluated
from renga_data.preprocessing import PicturePreprocessing

CLASSES = ("cat", "dog", "cow")
IMAGE = np.random.default_rng(2).uniform(0, 255, (3, 40, 50)).astype(np.float32)
BOXES = np.array([[2, 3, 20, 22], [15, 10, 38, 49]], np.float32)
LABELS = np.array([2, 0], np.int32)


@pytest.fixture
def task():
    task = Detection()
    task.preprocessing = PicturePreprocessing(CLASSES)
    return task


def detected(boxes, labels, scores):
    return [
        (np.asarray(boxes, np.float32), np.asarray(labels, np.int32), np.asarray(scores, np.float32), BOXES, LABELS)
    ]


def test_a_picture_in_which_all_was_found_has_full_marks(task):
    figures = task.measure([detected(BOXES, LABELS, [0.9, 0.8])])
    assert figures["map"] == figures["ap/cat"] == figures["ap/cow"] == 1


def test_what_was_not_found_lowers_the_mean(task):
    figures = task.measure([detected(BOXES[:1], LABELS[:1], [0.9]), detected(BOXES, LABELS, [0.9, 0.8])])
    assert figures["ap/cow"] == 1
    assert figures["ap/cat"] == pytest.approx(0.5)
    assert figures["map"] == pytest.approx(0.75)


def test_the_loss_falls_where_the_network_is_right(task):
    network = SmallDetector(3, width=8)
    target = task.target(network)
    loss = target([IMAGE], [BOXES], [LABELS])
    assert float(loss.array) > 0
    # The same boxes in a picture of the network's own size give the same loss of locations' targets.
    scale = np.tile(np.array([64 / 40, 64 / 50], np.float32), 2)
    locations, classes = network.coder.encode(BOXES * scale, LABELS)
    assert set(classes) == {0, 1, 3}

    class Right(SmallDetector):
        def forward(self, x):
            scores = np.full((1, len(classes), 4), -9, np.float32)
            scores[0, np.arange(len(classes)), classes] = 9
            variable = get_backend(scores).xp.asarray
            return variable(locations[None]), variable(scores)

    perfect = task.target(Right(3, width=8))
    assert float(perfect([IMAGE], [BOXES], [LABELS]).array) < 1e-3


def test_an_average_precision_looks_at_unsure_boxes_too(task):
    network = SmallDetector(3, width=8)
    before = network.score_thresh
    with evaluated(network):
        assert network.score_thresh < before
    assert network.score_thresh == before


def test_a_network_of_one_step_can_be_compared_with_the_truth(task):
    target = task.target(SmallDetector(10, width=8))
    train, _ = get_digit_scenes("boxes", 3, 1)
    batch = pictures()(train[:3])
    figures = task.measure([task.compare(target, *batch)])
    assert 0 <= figures["map"] <= 1


def test_pictures_and_a_document_of_predictions(task, tmp_path):
    from PIL import Image

    class Sure(SmallDetector):
        def predict(self, imgs):
            return [BOXES] * len(imgs), [LABELS] * len(imgs), [np.array([0.9, 0.75], np.float32)] * len(imgs)

    target = task.target(Sure(3, width=8))
    task.predict_into(target, [("in/one.jpg", IMAGE), ("two.png", IMAGE)], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.png", "predictions.json", "two.png"]
    with Image.open(tmp_path / "one.png") as picture:
        drawn = np.asarray(picture).transpose(2, 0, 1)
    assert drawn.shape == (3, 160, 200), "small pictures are enlarged"
    assert (drawn != np.rint(IMAGE).repeat(4, 1).repeat(4, 2)).any(0).mean() < 0.3
    document = json.loads((tmp_path / "predictions.json").read_text())
    assert [image["file_name"] for image in document["images"]] == ["in/one.jpg", "two.png"]
    assert [category["name"] for category in document["categories"]] == list(CLASSES)
    first = document["annotations"][0]
    assert (first["bbox"], first["category_id"], first["area"]) == ([3, 2, 19, 18], 3, 342)
    assert len({each["id"] for each in document["annotations"]}) == 4
    rows = task.predict(target, [IMAGE])
    assert rows[0]["objects"][1] == {"class": "cat", "score": 0.75, "box": [15, 10, 38, 49]}


def test_an_edge_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="60"):
        SmallDetector(3, insize=60)
