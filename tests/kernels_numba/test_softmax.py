"""Softmax, its logarithm and cross entropy over wide vocabularies, against float64; labels that are no classes."""

import numpy as np
import pytest

from renga_core.kernel import operations
from renga_kernels_numba.softmax import LOG_SOFTMAX, SOFTMAX, CrossEntropy
from renga_nn.functions.loss import softmax_cross_entropy as _softmax_cross_entropy  # noqa: F401 - names the operation

RNG = np.random.default_rng(0)
X = (RNG.standard_normal((7, 40_001)) * 5).astype(np.float32)  # a row is more than a piece
GY = RNG.standard_normal(X.shape).astype(np.float32)


@pytest.mark.parametrize(("name", "kernel"), [("softmax", SOFTMAX), ("log_softmax", LOG_SOFTMAX)])
def test_wide_rows(name, kernel):
    reference = operations[name].reference
    y = kernel.forward(X, 1)
    right = reference.forward(X.astype(np.float64), 1)
    np.testing.assert_allclose(y, right, rtol=4e-6)  # scores and their largest differ by up to 40
    expected = reference.backward(right, GY.astype(np.float64), 1)
    np.testing.assert_allclose(kernel.backward(y, GY, 1), expected, rtol=1e-4, atol=2e-6 * np.abs(expected).max())


def test_cross_entropy():
    classes = RNG.integers(0, X.shape[1], len(X)).astype(np.int32)
    weight = RNG.uniform(0.5, 1, len(X)).astype(np.float32)
    reference = operations["softmax_cross_entropy"].reference
    loss, kept = CrossEntropy.forward(X, classes, weight, True)
    right, right_kept = reference.forward(X.astype(np.float64), classes, weight.astype(np.float64), True)
    np.testing.assert_allclose(loss, right, rtol=1e-6)
    gx = CrossEntropy.backward(X, classes, weight, kept)
    expected = reference.backward(X.astype(np.float64), classes, weight.astype(np.float64), right_kept)
    np.testing.assert_allclose(gx, expected, rtol=3e-6, atol=1e-9)


def test_a_label_that_is_no_class_reads_nothing():
    labels, weight = np.array([-1, 5, 2**40, 4]), np.ones(4, np.float32)
    x = np.ones((4, 5), np.float32)
    loss, kept = CrossEntropy.forward(x, labels, weight, True)
    np.testing.assert_array_equal(np.isnan(loss), [True, True, True, False])
    gx = CrossEntropy.backward(x, labels, weight, kept)
    np.testing.assert_allclose(gx[:3], 0.2, rtol=1e-6)
