"""Scores of classes, against counting by hand, and of regressions, against their definition."""

import numpy as np
import pytest

from renga_core.backend import get_device, to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.functions import classification_summary, f1_score, precision, r2_score, recall
from renga_testing.function_suite import FunctionSuite, ready_backends, without_gradient


@pytest.fixture(params=ready_backends())
def device(request):
    return get_device(request.param)


def by_hand(answers, labels, classes, beta, ignored):
    pairs = [(a, t) for a, t in zip(answers.flat, labels.flat, strict=True) if t != ignored]
    rows = []
    for c in range(classes):
        right = sum(a == t == c for a, t in pairs)
        taken, there = sum(a == c for a, _ in pairs), sum(t == c for _, t in pairs)
        p, r = right / taken if taken else 0, right / there if there else 0
        f = (1 + beta**2) * p * r / (beta**2 * p + r) if right else 0
        rows.append((p, r, f, there))
    return np.array(rows).reshape(-1, 4).T


REPORT = without_gradient("a measure for reports: no gradient flows through it")


class OfClasses(FunctionSuite):
    """`rows` of the table made by hand."""

    cases = {"all": {"ignored": -1}, "one class left out": {"ignored": 1}}
    excluded = REPORT

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((20, 4)).astype(dtype), rng.integers(0, 4, 20)

    def call(self, y, t):
        return self.function(y, t, 4, ignore_label=self.ignored)

    def reference(self, y, t):
        return tuple(by_hand(y.argmax(axis=1), t, 4, 1.0, self.ignored)[list(self.rows)])

    def empty_inputs(self, dtype):
        return np.zeros((0, 4), dtype), np.zeros(0, int)


def refused(name):
    return {
        "labels": ((np.zeros((2, 4)), np.zeros(3, int)), InvalidType, (name, "t", "integers (2,)", "(3,)")),
        "integers": ((np.zeros((2, 4), int), np.zeros(2, int)), InvalidType, (name, "y", "floating")),
        "too large": ((np.zeros((2, 5)), np.array([0, 4])), ValueError, (name, "labels from 0 to 4", "0 to 3")),
    }


class TestClassificationSummary(OfClasses):
    function = staticmethod(classification_summary)
    rows = (0, 1, 2, 3)
    bad_inputs = refused("classification_summary")


class TestPrecision(OfClasses):
    function = staticmethod(precision)
    rows = (0, 3)
    bad_inputs = refused("precision")


class TestRecall(OfClasses):
    function = staticmethod(recall)
    rows = (1, 3)
    bad_inputs = refused("recall")


class TestF1Score(OfClasses):
    function = staticmethod(f1_score)
    rows = (2, 3)
    bad_inputs = refused("f1_score")


class TestR2Score(FunctionSuite):
    cases = {"average": {"options": {}}, "of each": {"options": {"multioutput": "raw_values"}}}
    bad_inputs = {
        "shapes": ((np.ones(2), np.ones(3)), InvalidType, ("r2_score", "true", "shape and dtype of pred", "(3,)")),
        "nothing": ((np.ones((0, 2)), np.ones((0, 2))), InvalidType, ("r2_score", "pred", "at least one entry")),
    }
    excluded = {**REPORT, "empty": "of no entries there is no score, and they are refused: see its bad inputs"}

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((6, 3)).astype(dtype), rng.standard_normal((6, 3)).astype(dtype)

    def call(self, pred, true):
        return r2_score(pred, true, **self.options)

    def reference(self, pred, true):
        scores = 1 - ((true - pred) ** 2).sum(axis=0) / (len(true) * true.var(axis=0))
        return scores if self.options else scores.mean()


@pytest.mark.parametrize("label_num", [None, 5])
@pytest.mark.parametrize(("beta", "ignored"), [(1.0, -1), (2.0, 1), (0.5, -1)])
@pytest.mark.parametrize("shape", [(40,), (4, 2, 5), (0,)])
def test_classification_summary(device, shape, beta, ignored, label_num):
    rng = np.random.default_rng(0)
    y = rng.standard_normal((*shape[:1], 5, *shape[1:])).astype("f4")
    t = rng.integers(-1 if ignored == -1 else 0, 4, shape).astype("i4")
    found = classification_summary(device.send(y), device.send(t), label_num, beta, ignored)
    classes = label_num or (int(t.max()) + 1 if t.size else 0)
    expected = by_hand(y.argmax(axis=1), t, classes, beta, ignored)
    assert [v.dtype for v in found] == ["f4"] * 3 + ["i4"]
    for v, right in zip(found, expected, strict=True):
        assert v.creator is None
        np.testing.assert_allclose(to_host(v), right, rtol=1e-6)


def test_each_by_itself():
    rng = np.random.default_rng(1)
    y, t = rng.standard_normal((30, 3)).astype("f2"), rng.integers(0, 3, 30)
    p, r, f, support = classification_summary(y, t)
    for function, right in ((precision, p), (recall, r), (f1_score, f)):
        score, number = function(y, t)
        assert score.dtype == "f2"
        assert score.array.tolist() == right.array.tolist()
        assert number.array.tolist() == support.array.tolist()


def test_what_does_not_fit_is_refused():
    with pytest.raises(InvalidType, match=r"recall: t: expected integers \(2,\)"):
        recall(np.ones((2, 3)), np.zeros(3, int))
    with pytest.raises(InvalidType, match="precision: t: expected a Variable or an array, got list"):
        precision(np.ones((2, 3)), [0, 1])
    with pytest.raises(InvalidType, match=r"f1_score: y: expected a floating dtype"):
        f1_score(np.ones((2, 3), int), np.zeros(2, int))
    for kind in (ValueError, IndexError):  # Chainer's is the second
        with pytest.raises(kind, match="precision: t has labels from 0 to 2, but classes are 0 to 1"):
            precision(np.ones((2, 3)), np.array([0, 2]), label_num=2)


def r2(pred, true, weight):
    mean = np.average(true, axis=0, weights=weight)
    return 1 - np.average((true - pred) ** 2, axis=0, weights=weight) / np.average(
        (true - mean) ** 2, axis=0, weights=weight
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(10,), (10, 3), (10, 2, 3)])
def test_r2_score(device, shape, dtype, weighted):
    rng = np.random.default_rng(0)
    pred, true = rng.standard_normal((2, *shape)).astype(dtype)
    weight = rng.random(10) if weighted else None
    expected = r2(pred, true, weight)
    sent = [device.send(x) for x in (pred, true)] + ([device.send(weight)] if weighted else [])
    for y, right in ((r2_score(*sent), expected.mean()), (r2_score(*sent, multioutput="raw_values"), expected)):
        assert y.dtype == dtype
        assert y.creator is None
        assert y.shape == right.shape
        np.testing.assert_allclose(to_host(y), right, rtol=1e-4 if dtype == "f4" else 1e-10)


def test_r2_score_of_what_does_not_vary():
    true = np.array([[1.0, 2.0], [3.0, 2.0]])
    assert r2_score(true, true, multioutput="raw_values").array.tolist() == [1, 0]
    assert r2_score(true, true).item() == 0.5


def test_r2_score_in_half_precision_adds_up_in_single():
    true = np.array([-300, 300], "f2")
    assert r2_score(Variable(np.array([-300, 0], "f2")), true).item() == 0.5


def test_r2_score_refuses():
    with pytest.raises(InvalidType, match=r"r2_score: true: expected the shape and dtype of pred"):
        r2_score(np.ones(2), np.ones(3))
    with pytest.raises(InvalidType, match="r2_score: pred: expected at least one entry"):
        r2_score(np.ones((0, 2)), np.ones((0, 2)))
    with pytest.raises(InvalidType, match=r"r2_score: sample_weight: expected a weight for each entry \(2,\)"):
        r2_score(np.ones((2, 2)), np.ones((2, 2)), np.ones(3))
    with pytest.raises(ValueError, match="multioutput is 'mean'"):
        r2_score(np.ones(2), np.ones(2), multioutput="mean")
