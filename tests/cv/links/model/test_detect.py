"""`detect` of all detectors finds what `predict` finds, and is differentiable."""

import numpy as np
import pytest
from detectors import DETECTORS, PICTURES, found, same_objects, small

from renga_core.configuration import using_config
from renga_nn.functions.math import sum as total

pytest.importorskip("PIL", reason="pip install pillow")


@pytest.fixture(scope="module", params=DETECTORS)
def detector(request):
    return small(request.param)


def predicted(detector, picture):
    names = getattr(detector, "_return_values", ("bboxes", "labels", "scores"))
    if hasattr(detector, "mask_scores"):
        names = ("masks", "labels", "scores")
    renamed = [{"bboxes": "boxes"}.get(name, name) for name in names]
    return dict(zip(renamed, [each[0] for each in detector.predict([picture])], strict=True))


def test_it_finds_what_predict_finds(detector):
    counts = []
    for picture in PICTURES:
        right = predicted(detector, picture)
        result = found(detector, picture)
        counts.append(len(right["scores"]))
        assert [result[name].dtype for name in right] == [value.dtype for value in right.values()]
        same_objects({name: result[name] for name in right}, right)
    assert counts[0] > 3
    assert counts[1] == 0
    assert len(set(counts)) > 2


def test_it_is_differentiable(detector):
    detector.cleargrads()
    with using_config("train", False):
        result = detector.detect(**detector.detect_inputs(PICTURES[0]))
    (total(result["boxes"]) * 0.01 + total(result["scores"])).backward()
    # Which boxes are proposed, and pixels of masks, have no gradient.
    without = ("/rpn/conf", "/rpn/score", "mask", "finest", "/side1", "/up1")
    for path, parameter in detector.namedparams():
        assert (parameter.grad is None) == any(name in path for name in without)
        assert parameter.grad is None or np.isfinite(parameter.grad).all()


def test_one_image_at_a_time(detector):
    inputs = detector.detect_inputs(PICTURES[0])
    with pytest.raises(ValueError, match=r"detect takes one image, \(1, 3, H, W\), not \(2, 3,"):
        detector.detect(np.concatenate([inputs["image"]] * 2), inputs["size"])


def test_a_detector_without_a_head_for_boxes():
    from renga_core.errors import RengaError
    from renga_cv.links.model.fpn.faster_rcnn import FasterRCNN

    of = small("Faster R-CNN on a pyramid")
    regions = FasterRCNN(of.extractor.copy(), of.rpn.copy(), None, None, ["rois"], min_size=96, max_size=128)
    with pytest.raises(RengaError, match="made without a head"):
        regions.detect(**regions.detect_inputs(PICTURES[0]))
