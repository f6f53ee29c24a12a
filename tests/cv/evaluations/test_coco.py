"""COCO's measures, by pycocotools, against its rules written out for one class at a time."""

import builtins

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_core.errors import RengaError
from renga_cv.evaluations.eval_detection_coco import eval_detection_coco
from renga_cv.evaluations.eval_instance_segmentation_coco import eval_instance_segmentation_coco

IOUS = np.linspace(0.5, 0.95, 10).tolist()
AREAS = {"all": (0, 1e10), "small": (0, 32**2), "medium": (32**2, 96**2), "large": (96**2, 1e10)}
EMPTY = np.zeros((0, 4)), np.zeros(0, int), np.zeros(0)


def draw_boxes(rng, count):
    """Of all of COCO's sizes."""
    corner = rng.integers(0, 100, (count, 2))
    return np.concatenate([corner, corner + rng.choice([10, 40, 50, 120], (count, 2))], axis=1).astype(np.float32)


def draw_case(rng, images=3):
    """Lists as `eval_detection_coco` takes them."""
    found = []
    for _ in range(images):
        gt = draw_boxes(rng, rng.integers(0, 5))
        near = gt[rng.random(len(gt)) < 0.8]
        pred = np.concatenate([near + rng.integers(-3, 4, near.shape), draw_boxes(rng, rng.integers(0, 4))])
        found.append(
            (
                pred,
                rng.choice([0, 1, 3], len(pred)),
                # Of equal scores COCO takes what comes first.
                rng.integers(1, 6, len(pred)) / 5,
                gt,
                rng.choice([0, 1, 4], len(gt)),
                rng.choice([100.0, 1024.0, 3000.0, 20000.0], len(gt)),
                rng.random(len(gt)) < 0.2,
            )
        )
    return [list(each) for each in zip(*found, strict=True)]


def box_iou(pred, gt, crowd):
    height = max(0.0, min(pred[2], gt[2]) - max(pred[0], gt[0]))
    width = max(0.0, min(pred[3], gt[3]) - max(pred[1], gt[1]))
    own = (pred[2] - pred[0]) * (pred[3] - pred[1])
    other = (gt[2] - gt[0]) * (gt[3] - gt[1])
    return height * width / (own if crowd else own + other - height * width)


def mask_iou(pred, gt, crowd):
    both = float((pred & gt).sum())
    return both / (float(pred.sum()) if crowd else float((pred | gt).sum()))


def matched(preds, gts, thresh, iou):
    """For each prediction of an image, by score: (score, counts, hit). An object is (shape, crowd, ignored)."""
    taken, results = set(), []
    for score, shape, outside in preds:
        best, best_iou = None, min(thresh, 1 - 1e-10)
        for wanted in (False, True):  # an object that counts goes before one that does not
            for g, (gt, crowd, ignored) in enumerate(gts):
                overlap = iou(shape, gt, crowd)
                if ignored == wanted and (g not in taken or crowd) and overlap >= best_iou:
                    best, best_iou = g, overlap
            if best is not None:
                break
        if best is not None:
            taken.add(best)
            results.append((score, not gts[best][2], True))
        else:
            results.append((score, not outside, False))
    return results


def of_class(case, label, area, max_dets, thresh, iou, area_of):
    """Average precision and recall of one class; None where there is no object that counts."""
    low, high = AREAS[area]
    results, objects = [], 0
    for pred, pred_label, score, gt, gt_label, gt_area, crowd in zip(*case, strict=True):
        preds = [
            (score[i], pred[i], not low <= area_of(pred[i]) <= high) for i in range(len(pred)) if pred_label[i] == label
        ]
        preds.sort(key=lambda each: -each[0])
        gts = [
            (gt[i], bool(crowd[i]), bool(crowd[i]) or not low <= gt_area[i] <= high)
            for i in range(len(gt))
            if gt_label[i] == label
        ]
        objects += sum(not ignored for _, _, ignored in gts)
        results += matched(preds[:max_dets], gts, thresh, iou)
    if objects == 0:
        return None
    results.sort(key=lambda each: -each[0])
    hits, counted, curve = 0, 0, []
    for _, counts, hit in results:
        hits, counted = hits + (counts and hit), counted + counts
        curve.append((hits / objects, hits / counted if counted else 0.0))
    precision = [
        max([p for r, p in curve[next((i for i, (r2, _) in enumerate(curve) if r2 >= k), len(curve)) :]], default=0.0)
        for k in np.linspace(0, 1, 101)
    ]
    return sum(precision) / 101, curve[-1][0] if curve else 0.0


def check(found, case, iou, area_of):
    labels = sorted({int(label) for each in (*case[1], *case[4]) for label in each})
    assert found["existent_labels"].tolist() == labels
    for area in AREAS:
        for measure, ious, max_dets in [("ap", IOUS, 100), ("ap", [0.5], 100), ("ap", [IOUS[5]], 100)] + [
            ("ar", IOUS, n) for n in (1, 10, 100)
        ]:
            name = "0.50:0.95" if len(ious) > 1 else f"{ious[0]:.2f}"
            key = f"{measure}/iou={name}/area={area}/max_dets={max_dets}"
            if area != "all" and (len(ious) == 1 or max_dets < 100):
                assert key not in found
                continue
            expected = np.full(max(labels, default=-1) + 1, np.nan)
            for label in labels:
                each = [of_class(case, label, area, max_dets, thresh, iou, area_of) for thresh in ious]
                if each[0] is not None:
                    expected[label] = np.mean([values[measure == "ar"] for values in each])
            known = expected[~np.isnan(expected)]
            np.testing.assert_allclose(found[key], expected, atol=1e-9, err_msg=key)
            np.testing.assert_allclose(found["m" + key], known.mean() if len(known) else np.nan, atol=1e-9)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_boxes(seed):
    pytest.importorskip("pycocotools")
    case = draw_case(np.random.default_rng(seed))
    check(eval_detection_coco(*case), case, box_iou, lambda box: (box[2] - box[0]) * (box[3] - box[1]))


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_masks(seed):
    pytest.importorskip("pycocotools")
    rng = np.random.default_rng(seed)
    case = draw_case(rng, images=2)
    for which in (0, 3):
        case[which] = [(rng.random((len(each), 7, 9)) < 0.6) | ~draw_stripes(rng, len(each)) for each in case[which]]
    check(eval_instance_segmentation_coco(*case), case, mask_iou, lambda mask: mask.sum())


def draw_stripes(rng, count):
    return np.arange(7)[None, :, None] >= rng.integers(0, 7, (count, 1, 1)) + np.zeros((1, 1, 9), int)


def test_without_areas_and_crowds_and_by_generators():
    pytest.importorskip("pycocotools")
    case = draw_case(np.random.default_rng(3))
    none = [np.zeros(len(each), bool) for each in case[4]]
    expected = eval_detection_coco(*case[:5], gt_crowdeds=none)
    found = eval_detection_coco(*(iter(each) for each in case[:5]))
    assert found.keys() == expected.keys()
    assert not any("small" in key for key in found)
    for key in found.keys() - {"coco_eval"}:
        np.testing.assert_array_equal(found[key], expected[key])


def test_prints_nothing_and_leaves_pycocotools_as_it_is(capsys):
    cocoeval = pytest.importorskip("pycocotools.cocoeval")
    eval_detection_coco(*draw_case(np.random.default_rng(0)))
    assert capsys.readouterr() == ("", "")
    assert getattr(cocoeval, "print", builtins.print) is builtins.print


@pytest.mark.parametrize("images", [0, 2])
def test_nothing_to_find_and_nothing_found(images):
    pytest.importorskip("pycocotools")
    box, label, score = EMPTY
    found = eval_detection_coco([box] * images, [label] * images, [score] * images, [box] * images, [label] * images)
    assert found["existent_labels"].size == 0
    assert np.isnan(found["map/iou=0.50:0.95/area=all/max_dets=100"])


def test_what_does_not_belong_together():
    pytest.importorskip("pycocotools")
    box, label, score = EMPTY
    with pytest.raises(ValueError, match="gt_bboxes"):
        eval_detection_coco([box], [label], [score], [], [label])
    with pytest.raises(ValueError, match=r"\(0, 2, 3\).*\(0, 3, 2\)"):
        eval_instance_segmentation_coco([np.zeros((0, 2, 3))], [label], [score], [np.zeros((0, 3, 2))], [label])


def test_without_pycocotools(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"renga\[coco\]"):
        eval_detection_coco([], [], [], [], [])
