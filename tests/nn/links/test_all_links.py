"""What holds for every layer: deferred shapes, gradients of parameters, saving, copying."""

import copy

import numpy as np
import pytest

from renga_core.graph import as_variable
from renga_core.serializers import load_npz, save_npz
from renga_core.testing import check_backward, check_double_backward
from renga_nn.links import (
    LSTM,
    BatchNormalization,
    Convolution2D,
    Deconvolution2D,
    EmbedID,
    LayerNormalization,
    Linear,
    Scale,
)

MATRIX, IMAGES = (4, 3), (2, 4, 5, 6)

# For each: how to make it with sizes known, without, and the shape of an input.
LINKS = {
    "linear": (lambda: Linear(3, 2), lambda: Linear(2), MATRIX),
    "linear without bias": (lambda: Linear(3, 2, nobias=True), lambda: Linear(None, 2, nobias=True), MATRIX),
    "convolution": (lambda: Convolution2D(4, 6, 3), lambda: Convolution2D(6, 3), IMAGES),
    "convolution with everything": (
        lambda: Convolution2D(4, 6, (3, 2), (2, 1), 1, dilate=(1, 2), groups=2),
        lambda: Convolution2D(None, 6, (3, 2), (2, 1), 1, dilate=(1, 2), groups=2),
        IMAGES,
    ),
    "deconvolution": (lambda: Deconvolution2D(4, 6, 3), lambda: Deconvolution2D(6, 3), IMAGES),
    "deconvolution with everything": (
        lambda: Deconvolution2D(4, 6, 2, 2, 1, outsize=(9, 11), groups=2),
        lambda: Deconvolution2D(None, 6, 2, 2, 1, outsize=(9, 11), groups=2),
        IMAGES,
    ),
    "batch normalization": (lambda: BatchNormalization(3), BatchNormalization, MATRIX),
    "batch normalization of images": (lambda: BatchNormalization(4), BatchNormalization, IMAGES),
    "batch normalization, channels last": (
        lambda: BatchNormalization(6, axis=(0, 1, 2)),
        lambda: BatchNormalization(axis=(0, 1, 2)),
        IMAGES,
    ),
    "layer normalization": (lambda: LayerNormalization(3), LayerNormalization, MATRIX),
    "lstm": (lambda: LSTM(3, 2), lambda: LSTM(2), MATRIX),
    "scale": (lambda: Scale(1, (4,), bias_term=True), lambda: Scale(1, (4,), bias_term=True), IMAGES),
}


@pytest.fixture(params=LINKS)
def known(request):
    return LINKS[request.param]


def example(shape):
    return np.random.default_rng(0).normal(size=shape)


def run(link, x):
    """Two calls for a link that remembers, so that its memory counts."""
    if isinstance(link, LSTM):
        link.reset_state()
        link(x)
    return link(x)


def shapes(link):
    return {name: None if p.array is None else p.shape for name, p in link.namedparams()}


def test_sizes_that_are_not_given_are_those_of_the_first_input(known):
    make, make_deferred, shape = known
    link, deferred = make(), make_deferred()
    y = run(link, example(shape))
    assert run(deferred, example(shape)).shape == y.shape
    assert shapes(deferred) == shapes(link)
    assert all(p.dtype == np.float64 for p in deferred.params())


def test_gradients_of_input_and_parameters(known):
    make, _, shape = known
    link = make()
    gy = np.random.default_rng(1).normal(size=run(link, example(shape)).shape)
    parameters = tuple(link.params())
    check_backward(lambda x: run(link, x), example(shape), gy, parameters, eps=1e-5, atol=1e-6, rtol=1e-6)


def test_second_gradients_of_input_and_parameters(known):
    make, _, shape = known
    link = make()
    rng = np.random.default_rng(1)
    gy = rng.normal(size=run(link, example(shape)).shape)
    parameters = tuple(link.params())
    seconds = [rng.normal(size=p.shape) for p in parameters]
    check_double_backward(
        lambda x: run(link, x), example(shape), gy, rng.normal(size=shape), parameters, seconds, 1e-5, 1e-5, 1e-5
    )


def test_saved_and_loaded_into_one_whose_sizes_are_not_known(known, tmp_path):
    make, make_deferred, shape = known
    link, other = make(), make_deferred()
    run(link, example(shape))
    save_npz(tmp_path / "link.npz", link)
    load_npz(tmp_path / "link.npz", other)
    assert shapes(other) == shapes(link)
    x = example(shape)
    np.testing.assert_array_equal(run(other, x).array, run(link, x).array)


@pytest.mark.parametrize("duplicate", [lambda link: link.copy("copy"), copy.deepcopy], ids=["copy", "deepcopy"])
def test_a_copy_computes_the_same_and_goes_its_own_way(known, duplicate):
    make, _, shape = known
    link = make()
    x = example(shape)
    before = run(link, x).array
    other = duplicate(link)
    np.testing.assert_array_equal(run(other, x).array, before)
    for p in other.params():
        p.array += 1
    np.testing.assert_array_equal(run(link, x).array, before)


def test_a_fresh_copy_has_other_random_weights(known):
    make, _, shape = known
    link = make()
    run(link, example(shape))
    other = link.copy("init")
    assert shapes(other) == shapes(link)
    for (name, p), (_, q) in zip(link.namedparams(), other.namedparams(), strict=True):
        if name.rpartition("/")[2] == "W" and not isinstance(link, Scale):
            assert (p.array != q.array).any()


def test_embedding():
    link = EmbedID(5, 3, ignore_label=-1)
    ids = np.array([[0, 4], [-1, 0]])
    y = link(ids)
    assert y.shape == (2, 2, 3)
    np.testing.assert_array_equal(y.array[0, 1], link.W.array[4])
    assert not y.array[1, 0].any()
    y.sum().backward()
    np.testing.assert_array_equal(link.W.grad[:, 0], [2, 0, 0, 0, 1])


def test_integers_as_input_of_an_embedding_may_be_a_variable():
    link = EmbedID.from_params(np.arange(6.0).reshape(3, 2))
    assert link(as_variable(np.array([2]))).array.tolist() == [[4, 5]]
