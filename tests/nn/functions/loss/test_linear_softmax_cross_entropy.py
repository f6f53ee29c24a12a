import sys

import numpy as np
import pytest

import renga.functions as F
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable, no_backprop_mode
from renga_nn.functions.loss import linear_softmax_cross_entropy
from renga_testing.function_suite import FunctionSuite

MODULE = "renga_nn.functions.loss.linear_softmax_cross_entropy"
X, W = np.ones((2, 3)), np.ones((4, 3))
T = np.array([[0, 4, -1], [2, 4, 1]])


@pytest.fixture(autouse=True)
def two_rows_at_once(monkeypatch):
    monkeypatch.setattr(sys.modules[MODULE], "_SCORES", 10)


class TestLinearSoftmaxCrossEntropy(FunctionSuite):
    cases = {"no bias": {}, "bias": {"bias": True}, "an ignored label": {"ignore": 4}}
    bias, ignore = False, -1
    bad_inputs = {
        "other features": ((np.ones((2, 3, 2)), W), InvalidType, ["W", "(classes, 2)", "(4, 3)"]),
        "dtypes differ": ((np.ones((2, 3, 3), np.float32), W), InvalidType, ["W", "float32", "float64"]),
        "another number of rows": ((X, W), InvalidType, ["t", "(2,)", "(2, 3)"]),
    }
    tolerances = {"float16": 1e-2, "float32": 2e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        shapes = ((2, 3, 4), (5, 4), (5,)) if self.bias else ((2, 3, 4), (5, 4))
        return tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)

    def labels(self, x):
        return (np.where(T == -1, 0, T) if self.ignore != -1 else T)[: len(x)]

    def call(self, x, W, b=None):
        return linear_softmax_cross_entropy(x, W, self.labels(x), b, self.ignore)

    def reference(self, x, W, b=0):
        scores = x @ W.T + b
        p = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
        labels = self.labels(x)
        counts = labels != self.ignore
        picked = np.take_along_axis(p, np.where(counts, labels, 0)[..., None], -1)[..., 0]
        return -(np.log(picked) * counts).sum() / max(1, counts.sum())

    def empty_inputs(self, dtype):
        return (np.ones((0, 3, 4), dtype), np.ones((5, 4), dtype), *([np.ones(5, dtype)] if self.bias else []))


def test_as_linear_and_cross_entropy_with_only_some_gradients_wanted():
    rng = np.random.default_rng(0)
    x, W, b = rng.normal(size=(7, 3)), Variable(rng.normal(size=(5, 3))), Variable(rng.normal(size=5))
    t = rng.integers(0, 5, 7)
    found = []
    for loss in (linear_softmax_cross_entropy(x, W, t, b), F.softmax_cross_entropy(F.linear(x, W, b), t)):
        W.cleargrad()
        b.cleargrad()
        (3 * loss).backward()
        found.append([loss.array, W.grad, b.grad])
    for got, right in zip(*found, strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-12)


def test_no_gradients_are_computed_where_none_can_be_asked_for():
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    with no_backprop_mode(), using_config("type_check", False):
        loss = linear_softmax_cross_entropy(Variable(arrays[0]), Variable(arrays[1]), np.zeros(7, int))
    assert loss.creator is None
    assert linear_softmax_cross_entropy(arrays[0], arrays[1], np.full(7, -1)).item() == 0


def test_a_label_that_is_no_class():
    with pytest.raises(ValueError, match="labels from 0 to 4, but classes are 0 to 3"):
        linear_softmax_cross_entropy(X, W, np.array([0, 4]))
