"""Which boxes are taken, in onnxruntime as in Renga: equal scores, and numbers that are exactly a threshold."""

import numpy as np
import pytest

from renga_core.graph import Variable

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga_cv.functions.detection.anchors import anchors  # noqa: E402
from renga_cv.functions.detection.choosing import best_of_each_class, highest, suppressed  # noqa: E402
from renga_cv.functions.detection.masks import enlarged, pasted  # noqa: E402
from renga_cv.functions.detection.scaling import contained, enlargement, rounded  # noqa: E402
from renga_cv.links.model.fpn.align_on_levels import align_on_levels  # noqa: E402
from renga_onnx import export  # noqa: E402

RNG = np.random.default_rng(0)
BOXES = np.array([[0, 0, 4, 4], [0, 0, 4, 8], [0, 0, 4, 2], [9, 9, 9, 12], [20, 20, 28, 24], [0, 0, 4, 4]], np.float32)
"""IoUs of the first three are exactly 1/2 and 1/4; one box has no area."""
SCORES = np.array([[0.5, 0.25], [0.75, 0.5], [0.5, 0.5], [0.5, 1.0], [0.5, 0.0], [0.5, 0.25]], np.float32)
MANY = (RNG.integers(0, 8, (60, 4)) + np.array([0, 0, 8, 8])).astype(np.float32)
FEW_SCORES = (RNG.integers(0, 5, (60, 3)) / 4).astype(np.float32)
OF_CLASSES = (RNG.integers(0, 8, (60, 3, 4)) + np.array([0, 0, 8, 8])).astype(np.float32)


def same(network, *inputs, opset=None, traced=None, shapes=None):
    """Export with `traced`, and compare for `inputs`."""
    model = export(network, list(traced or inputs), opset_version=opset, input_shapes=shapes)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    results = session.run(None, {each.name: x for each, x in zip(session.get_inputs(), inputs, strict=True)})
    right = network(*map(Variable, inputs))
    for y, z in zip(results, right if isinstance(right, tuple) else [right], strict=True):
        assert y.dtype == z.dtype
        np.testing.assert_array_equal(y, z.array)
    return results


@pytest.mark.parametrize("opset", [13, 16, 18, 21])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("boxes", "scores"), [(BOXES, SCORES), (MANY, FEW_SCORES), (OF_CLASSES, FEW_SCORES), (BOXES[:1], SCORES[:1] * 0)]
)
def test_the_best_of_each_class(boxes, scores, strict, opset):
    for iou in (0.25, 0.5, 0.7):
        same(lambda b, s, iou=iou: best_of_each_class(b, s, iou, 0.5, strict), boxes, scores, opset=opset)


def test_a_box_at_the_threshold_of_scores_counts_and_one_at_that_of_overlaps_is_dropped():
    rows, labels = same(lambda b, s: best_of_each_class(b, s, 0.5, 0.5), BOXES, SCORES)
    assert list(zip(rows, labels, strict=True)) == [(1, 0), (4, 0), (3, 0), (2, 0), (3, 1), (2, 1), (1, 1)]


def test_the_highest():
    scores = np.array([1, 3, 2, 3, 1], np.float32)
    assert same(lambda s: highest(s, 3), scores)[0].tolist() == [1, 3, 2]
    assert same(lambda s: highest(s, 9), scores)[0].tolist() == [1, 3, 2, 0, 4]
    assert same(lambda s, b: highest(s, 9, b, 4), SCORES[:, 0], BOXES)[0].tolist() == [1, 0, 4, 5]
    nothing = same(lambda s, b: highest(s, 9, b, 100.0), SCORES[:, 0], BOXES)
    assert nothing[0].tolist() == []


def test_boxes_that_overlap_no_better_one():
    assert same(lambda b: suppressed(b, 0.5, 9), BOXES)[0].tolist() == [0, 4]
    assert same(lambda b: suppressed(b, 0.6, 2), BOXES)[0].tolist() == [0, 1]
    assert same(lambda b: suppressed(b, 0.5, 9), BOXES * 0)[0].tolist() == []
    same(lambda b: suppressed(b, 0.5, 9), np.zeros((0, 4), np.float32), traced=[BOXES], shapes=("n", 4))
    same(lambda b: suppressed(b, 0.7, 20), MANY)


@pytest.mark.parametrize("size", [(4, 7), (1, 1), (5, 2)])
def test_anchors(size):
    base = np.array([[-3.5, -1, 4, 2], [0, 0, 8 / 3, 1]])
    features = np.zeros((1, 2, *size), np.float32)
    same(lambda h: anchors(h, base, 16), features)


@pytest.mark.parametrize("size", [(333, 500), (1000, 17), (416, 416), (3, 4), (417, 415), (418, 833)])
def test_how_images_are_resized(size):
    same(lambda s: (enlargement(s, 600, 1000), *contained(s, 416)), np.array(size))


def test_halves_are_rounded_to_even():
    assert same(rounded, np.array([0.5, 1.5, -0.5, 2.4, -1.6]))[0].tolist() == [0, 2, 0, 2, -2]


@pytest.mark.parametrize("size", [(9, 14), (30, 30)])
def test_masks(size):
    cells = RNG.standard_normal((6, 4, 4)).astype(np.float32)
    boxes = np.array(
        [[0, 0, 9, 14], [2.25, 3.5, 5, 6], [-3, -2, 4, 30], [1, 1, 2, 2], [8, 0, 30, 1], [0, 0, 1, 1]], "f"
    )
    same(lambda c, b, s: pasted(c, enlarged(b, 4), s, 0.0), cells, boxes, np.array(size))
    none, shapes = (cells[:0], boxes[:0], np.array(size)), [("n", 4, 4), ("n", 4), (2,)]
    same(lambda c, b, s: pasted(c, b, s, 0.0), *none, traced=[cells, boxes, np.array((20, 20))], shapes=shapes)


@pytest.mark.parametrize("edges", [(10, 60, 111.9, 112, 113, 224, 447.9, 448, 449, 2000), (224,), ()])
@pytest.mark.parametrize("opset", [13, 16])
def test_regions_of_levels(edges, opset):
    """Edges of regions at which a level ends, and levels without regions."""
    scales = (1 / 4, 1 / 8, 1 / 16, 1 / 32)
    hs = [RNG.integers(0, 9, (1, 2, int(512 * scale), int(512 * scale))).astype(np.float32) for scale in scales]
    rois = np.array([[0, 0, edge, edge] for edge in edges], np.float32).reshape(-1, 4)
    traced = [*hs, np.array([[0, 0, 50, 50]], np.float32)]
    model = export(
        lambda *xs: align_on_levels(xs[:-1], xs[-1], 3, scales),
        traced,
        opset_version=opset,
        input_shapes=[*[None] * 4, ("rois", 4)],
    )
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    inputs = [*hs, rois]
    (result,) = session.run(None, {each.name: x for each, x in zip(session.get_inputs(), inputs, strict=True)})
    np.testing.assert_allclose(result, align_on_levels(hs, rois, 3, scales).array, atol=1e-4)
