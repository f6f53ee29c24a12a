import itertools

import numpy as np
import pytest

from renga_core.backend import get_device, to_host
from renga_core.graph import InvalidType
from renga_nn.functions.loss import argmax_crf1d, crf1d
from renga_testing.function_suite import FunctionSuite, ready_backends


def all_scores(cost, xs, number):
    """The score of every labelling of one sequence."""
    sequence = [x[number] for x in xs if number < len(x)]
    scores = {}
    for labels in itertools.product(range(len(cost)), repeat=len(sequence)):
        score = sum(x[y] for x, y in zip(sequence, labels, strict=True))
        scores[labels] = score + sum(cost[a, b] for a, b in itertools.pairwise(labels))
    return scores


class CRFSuite(FunctionSuite):
    cases = {
        "one length": {"sizes": (2, 2, 2)},
        "lengths": {"sizes": (4, 3, 3, 1), "reduce": "no"},
        "one step": {"sizes": (2,)},
    }
    classes, reduce = 3, "mean"

    def make_inputs(self, rng, dtype):
        xs = [rng.uniform(-1, 1, (n, self.classes)) for n in self.sizes]
        return tuple(a.astype(dtype) for a in (rng.uniform(-1, 1, (self.classes, self.classes)), *xs))

    def labels(self, xs):
        rng = np.random.default_rng(3)
        return [rng.integers(0, self.classes, x.shape[0]) for x in xs]

    def empty_inputs(self, dtype):
        """No sequences."""
        return np.ones((self.classes, self.classes), dtype), *[np.zeros((0, self.classes), dtype)] * 2


class TestCRF1d(CRFSuite):
    bad_inputs = {
        "cost": ((np.zeros((2, 3)), np.zeros((2, 3))), InvalidType, ["crf1d: cost", "square", "(2, 3)"]),
        "no steps": ((np.zeros((2, 2)),), InvalidType, ["crf1d: xs", "at least one", "none"]),
        "classes": ((np.zeros((2, 2)), np.zeros((2, 3))), InvalidType, ["xs[0]", "(B_t, 2)", "(2, 3)"]),
        "not sorted": (
            (np.zeros((2, 2)), np.zeros((1, 2)), np.zeros((2, 2))),
            InvalidType,
            ["xs[1]", "at most the 1 rows", "longest first"],
        ),
        "no such label": ((np.zeros((1, 1)), np.zeros((2, 1))), ValueError, ["labels from", "0 to 0"]),
    }

    def call(self, cost, *xs):
        return crf1d(cost, xs, [cost.device.send(y) for y in self.labels(xs)], self.reduce)

    def reference(self, cost, *xs):
        ys = self.labels(xs)
        losses = []
        for number in range(len(xs[0])):
            scores = all_scores(cost, xs, number)
            right = tuple(y[number] for y in ys if number < len(y))
            losses.append(np.log(sum(np.exp(s) for s in scores.values())) - scores[right])
        return np.array(losses) if self.reduce == "no" else np.sum(losses) / max(1, len(losses))


class TestArgmaxCRF1d(CRFSuite):
    bad_inputs = {
        "cost": ((np.zeros((2, 3)), np.zeros((2, 3))), InvalidType, ["argmax_crf1d: cost", "square", "(2, 3)"]),
        "integers": ((np.zeros((2, 2), int), np.zeros((2, 2))), InvalidType, ["argmax_crf1d: cost", "floating"]),
        "dtypes": ((np.zeros((2, 2)), np.zeros((2, 2), "f")), InvalidType, ["xs[0]", "float64", "float32"]),
    }

    def call(self, cost, *xs):
        return argmax_crf1d(cost, xs)[0]

    def reference(self, cost, *xs):
        return np.array([max(all_scores(cost, xs, number).values()) for number in range(len(xs[0]))])


@pytest.mark.parametrize("name", ready_backends())
def test_the_best_labels(name):
    suite = TestArgmaxCRF1d()
    suite.sizes = (5, 4, 4, 2, 1)
    cost, *xs = suite.make_inputs(np.random.default_rng(5), np.dtype("f8"))
    device = get_device(name)
    _, labels = argmax_crf1d(device.send(cost), [device.send(x) for x in xs])
    labels = [to_host(y) for y in labels]
    assert [(y.shape, y.dtype) for y in labels] == [((n,), np.int32) for n in suite.sizes]
    for number in range(5):
        scores = all_scores(cost, xs, number)
        assert tuple(y[number] for y in labels if number < len(y)) == max(scores, key=scores.get)


def test_words_and_labels():
    cost, x = np.zeros((2, 2)), np.zeros((1, 2))
    with pytest.raises(ValueError, match="crf1d: reduce is 'sum'"):
        crf1d(cost, [x], [np.array([0])], reduce="sum")
    with pytest.raises(InvalidType, match="ys: expected labels for each of the 2 steps, got 1 arrays"):
        crf1d(cost, [x, x], [np.array([0])])
    with pytest.raises(InvalidType, match=r"t: expected integers \(1,\)"):
        crf1d(cost, [x], [np.array([0.5])])
