"""Evaluators while training: the figures of the functions, by one process or several."""

import numpy as np
import pytest

from renga_core.configuration import config
from renga_core.link import Link
from renga_core.reporter import Reporter
from renga_cv.evaluations.eval_detection_coco import eval_detection_coco
from renga_cv.evaluations.eval_detection_voc import eval_detection_voc
from renga_cv.evaluations.eval_instance_segmentation_voc import eval_instance_segmentation_voc
from renga_cv.evaluations.eval_semantic_segmentation import eval_semantic_segmentation
from renga_cv.extensions.detection_coco_evaluator import DetectionCOCOEvaluator
from renga_cv.extensions.detection_voc_evaluator import DetectionVOCEvaluator
from renga_cv.extensions.instance_segmentation_coco_evaluator import InstanceSegmentationCOCOEvaluator
from renga_cv.extensions.instance_segmentation_voc_evaluator import InstanceSegmentationVOCEvaluator
from renga_cv.extensions.semantic_segmentation_evaluator import SemanticSegmentationEvaluator
from renga_data.iterators import SerialIterator
from renga_distributed.threads import launch

COUNT = 7
NAMES = ("ant", "bee", "cow", "dog")


class Known(Link):
    """Predicts what it was given, by the number in an image's first pixel."""

    def __init__(self, predictions):
        super().__init__()
        self.predictions = predictions
        self.seen = []

    def predict(self, imgs):
        assert not config.train
        assert not config.enable_backprop
        numbers = [int(img[0, 0, 0]) for img in imgs]
        self.seen += numbers
        found = tuple([each[i] for i in numbers] for each in self.predictions)
        return found if len(found) > 1 else found[0]


def drawn(kind):
    """Predictions and the ground truth of `COUNT` images: lists of each part."""
    rng = np.random.default_rng(3)
    counts, others = rng.integers(0, 5, COUNT), rng.integers(0, 5, COUNT)

    def shapes(count):
        if kind == "masks":
            return rng.random((count, 3, 3)) < 0.7
        corner = rng.integers(0, 4, (count, 2))
        return np.concatenate([corner, corner + rng.integers(1, 5, (count, 2))], axis=1).astype(np.float32)

    truth = [[shapes(n) for n in counts], [rng.integers(0, 3, n).astype(np.int32) for n in counts]]
    predictions = [
        [shapes(n) for n in others],
        [rng.integers(0, 3, n).astype(np.int32) for n in others],
        [rng.random(n).astype(np.float32) for n in others],
    ]
    more = [[rng.random(n) < 0.3 for n in counts], [np.full(n, 2000.0) for n in counts]]
    return predictions, truth, more


def iterator(truth):
    images = [np.full((3, 3, 3), i, np.float32) for i in range(COUNT)]
    return SerialIterator(list(zip(images, *truth, strict=True)), 3, repeat=False, shuffle=False)


def check(make, predictions, truth, expected):
    """`make(iterator, target, comm)` reports what is expected, once and again, and so do three processes."""
    target = Known(predictions)
    evaluator = make(iterator(truth), target, None)
    assert (evaluator.trigger, evaluator.default_name) == ((1, "epoch"), "validation")
    evaluator.name = "validation"
    reporter = Reporter()
    with reporter:
        found = evaluator()
        evaluator()
    observed = reporter.observation
    assert found.keys() == observed.keys() == {f"validation/main/{name}" for name in expected}
    assert target.seen == 2 * list(range(COUNT))
    for name, value in expected.items():
        np.testing.assert_array_equal(found[f"validation/main/{name}"], value, err_msg=name)

    def program(comm):
        target = Known(predictions)
        return make(iterator(truth if comm.rank == 0 else ()), target, comm)(), target.seen

    (root, _), *others = launch(program, 3)
    np.testing.assert_equal(root, {f"main/{name}": value for name, value in expected.items()})
    assert [result for result, _ in others] == [{}, {}]
    assert all(0 < len(seen) < COUNT for _, seen in others)


def named(prefix, values):
    padded = [*values, *[np.nan] * len(NAMES)]
    return {f"{prefix}/{name}": value for name, value in zip(NAMES, padded, strict=False)}


@pytest.mark.parametrize("use_07_metric", [False, True])
@pytest.mark.parametrize("with_difficult", [False, True])
def test_boxes_as_voc(use_07_metric, with_difficult):
    predictions, truth, (difficult, _) = drawn("boxes")
    truth = [*truth, difficult] if with_difficult else truth
    found = eval_detection_voc(*predictions, *truth, use_07_metric=use_07_metric)
    assert 0 < found["map"] < 1
    expected = {"map": found["map"], **named("ap", found["ap"])}
    check(
        lambda it, model, comm: DetectionVOCEvaluator(it, model, use_07_metric, NAMES, comm),
        predictions,
        truth,
        expected,
    )


def test_masks_as_voc():
    predictions, truth, _ = drawn("masks")
    found = eval_instance_segmentation_voc(*predictions, *truth, 0.4, True)
    assert 0 < found["map"] < 1
    expected = {"map": found["map"], **named("ap", found["ap"])}
    check(
        lambda it, model, comm: InstanceSegmentationVOCEvaluator(it, model, 0.4, True, NAMES, comm),
        predictions,
        truth,
        expected,
    )


def test_without_names():
    predictions, truth, _ = drawn("boxes")
    assert DetectionVOCEvaluator(iterator(truth), Known(predictions))().keys() == {"main/map"}


@pytest.mark.parametrize("with_areas", [False, True])
def test_boxes_as_coco(with_areas):
    pytest.importorskip("pycocotools")
    predictions, truth, (crowds, areas) = drawn("boxes")
    truth = [*truth, areas, crowds] if with_areas else truth
    found = eval_detection_coco(*predictions, *truth)
    expected = {key: value for key, value in found.items() if key.startswith("ma")}
    for key in [key for key in found if key.startswith(("ap", "ar"))]:
        expected.update(named(key, found[key]))
    assert 0 < expected["map/iou=0.50:0.95/area=all/max_dets=100"] < 1
    assert ("mar/iou=0.50:0.95/area=medium/max_dets=100" in expected) == with_areas
    check(lambda it, model, comm: DetectionCOCOEvaluator(it, model, NAMES, comm), predictions, truth, expected)


def test_masks_as_coco():
    pytest.importorskip("pycocotools")
    predictions, truth, _ = drawn("masks")
    found = InstanceSegmentationCOCOEvaluator(iterator(truth), Known(predictions), NAMES)()
    assert len(found) == 6 * 5
    assert 0 < found["main/map/iou=0.50/area=all/max_dets=100"] < 1


def test_classes_of_pixels():
    rng = np.random.default_rng(0)
    predictions, truth = [rng.integers(0, 3, (COUNT, 3, 3))], [rng.integers(-1, 3, (COUNT, 3, 3))]
    found = eval_semantic_segmentation(*predictions, *truth)
    expected = {name: found[name] for name in ("miou", "pixel_accuracy", "mean_class_accuracy")}
    expected.update(named("iou", found["iou"]), **named("class_accuracy", found["class_accuracy"]))
    check(lambda it, model, comm: SemanticSegmentationEvaluator(it, model, NAMES, comm), predictions, truth, expected)


def test_other_examples():
    predictions, truth, (difficult, areas) = drawn("boxes")
    with pytest.raises(ValueError, match=r"DetectionVOCEvaluator: .*boxes, labels or .*there are 4 values"):
        DetectionVOCEvaluator(iterator([*truth, difficult, areas]), Known(predictions))()


def test_no_examples():
    nothing = SerialIterator([], 1, repeat=False)
    assert DetectionVOCEvaluator(nothing, Known([[], [], []]))() == {}
