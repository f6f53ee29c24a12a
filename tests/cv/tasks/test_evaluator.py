"""Figures of several processes are those of one that has all pictures."""

import numpy as np
import pytest

from renga_core.errors import RengaError
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_cv.evaluations.eval_detection_coco import eval_detection_coco
from renga_cv.evaluations.eval_detection_voc import eval_detection_voc
from renga_cv.tasks.converter import pictures
from renga_cv.tasks.detection import Detection
from renga_cv.tasks.detection_evaluators import COCOEvaluator, VOCEvaluator
from renga_cv.tasks.evaluator import PredictionEvaluator
from renga_cv.tasks.instance_segmentation import InstanceSegmentation
from renga_cv.tasks.semantic_segmentation import SemanticSegmentation
from renga_data.datasets import SubDataset
from renga_data.iterators import SerialIterator
from renga_distributed.extensions.evaluator import create_multi_node_evaluator
from renga_distributed.threads import launch

COUNT = 7


def drawn(rng, task):
    """Up to four objects: boxes or masks, and their classes."""
    count = rng.integers(0, 5)
    labels = rng.integers(0, 3, count).astype(np.int32)
    if task is InstanceSegmentation:
        return rng.random((count, 6, 6)) < 0.8, labels
    corner = rng.integers(0, 3, (count, 2))
    return np.hstack([corner, corner + rng.integers(2, 5, (count, 2))]).astype(np.float32), labels


class Known(Link):
    """Finds in an image what belongs to its first value. Scores are few, so that many are equal."""

    nms_thresh = score_thresh = 0.5

    def __init__(self, task):
        super().__init__()
        rng = np.random.default_rng(1)
        self.found = [drawn(rng, task) for _ in range(COUNT)]
        self.scores = [rng.integers(1, 4, len(labels)).astype(np.float32) / 4 for _, labels in self.found]

    def use_preset(self, preset):
        pass

    def predict(self, imgs):
        numbers = [int(img[0, 0, 0]) for img in imgs]
        found = [(*self.found[i], self.scores[i]) for i in numbers]
        return tuple([list(each) for each in zip(*found, strict=True)])


class Target(Chain):
    def __init__(self, task):
        super().__init__()
        with self.init_scope():
            self.predictor = Known(task)

    def forward(self, images, truth, labels):
        report({"loss": np.mean([image[0, 0, 0] for image in images])}, self)


@pytest.mark.parametrize("make", [PredictionEvaluator, VOCEvaluator, COCOEvaluator])
@pytest.mark.parametrize("task", [Detection, InstanceSegmentation])
def test_every_rank_reports_the_figures_of_all_pictures(task, make):
    if make is COCOEvaluator:
        pytest.importorskip("pycocotools")
    rng = np.random.default_rng(0)
    examples = [(np.full((3, 6, 6), i, np.float32), *drawn(rng, task)) for i in range(COUNT)]

    def evaluate(comm):
        batches = SerialIterator(SubDataset(examples, *comm.share(COUNT)), 2, repeat=False, shuffle=False)
        evaluator = make(batches, Target(task), task(), comm, pictures())
        return create_multi_node_evaluator(evaluator, comm)()

    (alone,) = launch(evaluate, 1)
    assert 0 < alone["main/map"] < 1
    assert alone["main/loss"] == (COUNT - 1) / 2
    assert ("main/map/iou=0.50/area=all/max_dets=100" in alone) == (make is COCOEvaluator)
    for ranks in (2, 3, COUNT + 1):
        for found in launch(evaluate, ranks):
            np.testing.assert_equal(found, alone)


def test_figures_are_those_of_the_competitions():
    pytest.importorskip("pycocotools")
    rng = np.random.default_rng(2)
    truth = [drawn(rng, Detection) for _ in range(COUNT)]
    examples = [(np.full((3, 6, 6), i, np.float32), *each) for i, each in enumerate(truth)]
    target = Target(Detection)
    images, boxes, labels = zip(*examples, strict=True)
    predicted = target.predictor.predict(images)

    def found(make, **options):
        batches = SerialIterator(examples, 3, repeat=False, shuffle=False)
        (figures,) = launch(lambda comm: make(batches, target, Detection(), comm, pictures(), **options)(), 1)
        return figures

    right = eval_detection_voc(*predicted, boxes, labels, iou_thresh=0.3, use_07_metric=True)
    figures = found(VOCEvaluator, iou_thresh=0.3, use_07_metric=True)
    assert figures["main/map"] == pytest.approx(right["map"])
    assert [figures[f"main/ap/{i}"] for i in range(3)] == pytest.approx(right["ap"].tolist())
    coco, figures = eval_detection_coco(*predicted, boxes, labels), found(COCOEvaluator)
    means = {name for name in coco if name.startswith(("map/", "mar/"))}
    assert len(means) == 6
    for name in means:
        assert figures[f"main/{name}"] == pytest.approx(float(coco[name]))
    assert figures["main/map"] == pytest.approx(eval_detection_voc(*predicted, boxes, labels)["map"])


@pytest.mark.parametrize("make", [VOCEvaluator, COCOEvaluator])
def test_tasks_that_find_no_objects_are_refused(make):
    with pytest.raises(RengaError, match="evaluates the tasks detection and instance_segmentation, not Semantic"):
        make(None, Target(Detection), SemanticSegmentation(), None, pictures())
