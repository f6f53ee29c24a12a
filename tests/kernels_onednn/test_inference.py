"""The engine of frozen models: each operation as the model computes it, in steps that oneDNN computes."""

from __future__ import annotations

import numpy as np
import pytest

import renga
import renga.functions as F


def _array(*shape):
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


IMAGES, ROWS, WORDS = _array(2, 4, 9, 8), _array(5, 12), _array(2, 6, 8)
FILTERS, BIASES = _array(8, 4, 3, 3), _array(8)
MATRIX, WIDE = _array(10, 12), _array(256, 12)
ONE = np.ones(4, np.float32)

MODELS = {
    "convolution": (lambda x: F.convolution_2d(x, FILTERS, BIASES, 1, 1), IMAGES),
    "stride and dilation": (lambda x: F.convolution_2d(x, FILTERS, None, 2, 2, dilate=2), IMAGES),
    "cover_all": (lambda x: F.convolution_2d(x, FILTERS, BIASES, 2, 0, cover_all=True), IMAGES),
    "groups": (lambda x: F.convolution_2d(x, FILTERS[:, :2], BIASES, groups=2), IMAGES),
    "depthwise": (lambda x: F.convolution_2d(x, FILTERS[:4, :1], BIASES[:4], groups=4), IMAGES),
    "one axis": (lambda x: F.convolution_1d(x, FILTERS[:, :, 0], BIASES), _array(3, 4, 11)),
    "three axes": (lambda x: F.convolution_3d(x, FILTERS[:, :, None], BIASES), _array(2, 4, 3, 5, 5)),
    "relu": (lambda x: F.relu(F.convolution_2d(x, FILTERS, BIASES)), IMAGES),
    "relu6": (lambda x: F.relu6(F.convolution_2d(x, FILTERS, BIASES)), IMAGES),
    "leaky relu": (lambda x: F.leaky_relu(F.convolution_2d(x, FILTERS, BIASES), 0.3), IMAGES),
    "elu": (lambda x: F.elu(F.convolution_2d(x, FILTERS, BIASES), 0.7), IMAGES),
    "sigmoid": (lambda x: F.sigmoid(F.linear(x, MATRIX)), ROWS),
    "tanh": (lambda x: F.tanh(F.linear(x, MATRIX, _array(10))), ROWS),
    "affine": (lambda x: (F.linear(x, MATRIX) * 0.25 + 3.0) / 7, ROWS),
    "add, then multiply": (lambda x: (F.linear(x, MATRIX) + F.linear(x, MATRIX * 2)) * F.linear(x, -MATRIX), ROWS),
    "linear of images": (lambda x: F.linear(F.max_pooling_2d(x, 2), _array(3, 4 * 5 * 4)), IMAGES),
    "linear of words": (lambda x: F.relu(F.linear(x, _array(5, 8), n_batch_axes=2)), WORDS),
    "linear and relu in one function": (lambda x: F.linear_relu(x, MATRIX, _array(10)), ROWS),
    "linear to rows that are a power of two apart": (lambda x: F.linear(x, WIDE), ROWS),
    "max pooling": (lambda x: F.max_pooling_2d(x, 3, 2, 1), IMAGES),
    "average pooling": (lambda x: F.average_pooling_2d(x, 3, 2, 1), IMAGES),
    "softmax over channels": (lambda x: F.softmax(F.max_pooling_2d(x, 2)), IMAGES),
    "log softmax": (lambda x: F.log_softmax(x, axis=2), WORDS),
    "layer normalization": (lambda x: F.layer_normalization(x, _array(8), BIASES), WORDS),
    "batch normalization": (lambda x: F.fixed_batch_normalization(x, ONE, ONE, ONE, ONE + 1), IMAGES),
    "product": (lambda x: F.matmul(x, x, transb=True), WORDS),
    "functions alone": (lambda x: F.tanh(x) + F.relu(x) * F.sigmoid(x), WORDS),
}


@pytest.mark.parametrize("name", MODELS)
def test_operation(name):
    model, x = MODELS[name]
    frozen = renga.inference(model, x, tolerance=2e-6)  # which compares with the model, array by array
    who = [line.partition(" ")[0] for line in frozen.describe().split("\n")[1:]]
    assert "engine" in who
    assert "kernels" not in who
    more = np.concatenate([x, x[::-1] * 3])
    with renga.using_config("train", False):
        expected = model(renga.Variable(more)).array
    np.testing.assert_allclose(frozen(more), expected, rtol=1e-4, atol=1e-5)


def test_weights_are_packed_once_for_all_batches():
    frozen = renga.inference(lambda x: F.relu(F.linear(x, MATRIX)), ROWS)
    for rows in (1, 2, 64, 1000):
        frozen(_array(rows, 12))
    (kept,) = frozen._engine.packed._packed.values()
    assert len(kept) <= 2  # a vector may be multiplied in another order


def test_other_dtypes_are_left_to_the_kernels():
    frozen = renga.inference(lambda x: F.relu(x), WORDS.astype(np.float64))
    assert "engine" not in frozen.describe()
