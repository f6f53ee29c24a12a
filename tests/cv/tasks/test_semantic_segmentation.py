"""The task `semantic_segmentation` and its evaluator."""

import numpy as np
import pytest

from renga_core.link import Link
from renga_cv.evaluations.eval_semantic_segmentation import eval_semantic_segmentation
from renga_cv.links.model.small.segmenter import SmallSegmenter
from renga_cv.tasks.evaluator import PredictionEvaluator
from renga_cv.tasks.semantic_segmentation import SemanticSegmentation
from renga_data.convert import concat_examples
from renga_data.iterators import SerialIterator
from renga_data.preprocessing import PicturePreprocessing, read_preprocessing, write_preprocessing
from renga_distributed.single import SingleCommunicator
from renga_nn.functions.array import stack

RNG = np.random.default_rng(5)
CLASSES = ("sky", "sea", "boat")
EXAMPLES = [
    (RNG.uniform(0, 255, (3, 16, 24)).astype(np.float32), RNG.integers(-1, 3, (16, 24)).astype(np.int32))
    for _ in range(7)
]


class Brightness(Link):
    """Says by the first channel's brightness which class a pixel has."""

    def forward(self, x):
        return stack([x[:, 0] * 0, (x[:, 0] - 80) / 10, (x[:, 0] - 170) / 5], axis=1)

    def predict(self, imgs):
        return [self(img[None]).array[0].argmax(0).astype(np.int32) for img in imgs]


@pytest.fixture
def task():
    task = SemanticSegmentation()
    task.preprocessing = PicturePreprocessing(CLASSES)
    return task


def evaluator(task, examples, communicator):
    batches = SerialIterator(examples, 3, repeat=False, shuffle=False)
    return PredictionEvaluator(batches, task.target(Brightness()), task, communicator, concat_examples)


def test_figures_are_those_of_all_pictures_together(task):
    found = evaluator(task, EXAMPLES, SingleCommunicator())()
    images, labels = zip(*EXAMPLES, strict=True)
    expected = eval_semantic_segmentation(Brightness().predict(images), labels)
    assert found["main/miou"] == pytest.approx(expected["miou"])
    assert found["main/pixel_accuracy"] == pytest.approx(expected["pixel_accuracy"])
    assert [found[f"main/iou/{name}"] for name in CLASSES] == pytest.approx(expected["iou"])
    assert found["main/loss"] > 0


class TwoRanks(SingleCommunicator):
    """Gathers what two ranks have, the second's being given."""

    def __init__(self, others):
        super().__init__()
        self._others = others

    def allgather_obj(self, obj):
        return [obj, self._others]


def test_figures_are_the_same_where_two_processes_share_the_pictures(task):
    kept = []

    class Keeping(SingleCommunicator):
        def allgather_obj(self, obj):
            kept.extend(obj)
            return [obj]

    evaluator(task, EXAMPLES[3:], Keeping())()
    whole = evaluator(task, EXAMPLES, SingleCommunicator())()
    shared = evaluator(task, EXAMPLES[:3], TwoRanks(kept))()
    figures = [key for key in whole if key != "main/loss"]
    assert len(figures) == 5
    assert {key: shared[key] for key in figures} == {key: whole[key] for key in figures}


def test_a_class_that_nobody_has_seen_does_not_count(task):
    image = np.full((3, 8, 8), 100, np.float32)
    target = task.target(Brightness())
    counts = [task.compare(target, image[None], np.full((1, 8, 8), 1, np.int32)) for _ in range(2)]
    figures = task.measure(counts)
    assert figures["miou"] == figures["iou/sea"] == 1
    assert np.isnan(figures["iou/sky"])


def test_the_small_network_takes_pictures_of_any_size():
    network = SmallSegmenter(4, width=8)
    images = [RNG.uniform(0, 255, (3, *size)).astype(np.float32) for size in ((16, 16), (16, 16), (19, 33))]
    labels = network.predict(images)
    assert [(label.shape, label.dtype) for label in labels] == [
        (image.shape[1:], np.dtype(np.int32)) for image in images
    ]
    # What stands beside a picture in its batch makes no difference.
    np.testing.assert_array_equal(network.predict(images[1:2])[0], labels[1])


def test_pictures_of_predictions(task, tmp_path):
    from PIL import Image

    target = task.target(Brightness())
    page = task.samples(target, EXAMPLES[:4])
    assert page.shape[:2] == (4, 3)
    assert 0 <= page.min() < page.max() <= 1
    task.predict_into(target, [("some/where/a.jpg", EXAMPLES[0][0])], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.png", "a_labels.png"]
    with Image.open(tmp_path / "a_labels.png") as picture:
        labels = np.asarray(picture)
    np.testing.assert_array_equal(labels, Brightness().predict([EXAMPLES[0][0]])[0])


def test_the_preprocessing_is_kept_in_a_file(tmp_path):
    write_preprocessing(tmp_path / "p.json", PicturePreprocessing(CLASSES))
    assert read_preprocessing(tmp_path / "p.json") == PicturePreprocessing(CLASSES)
