"""Each kernel against the reference, forward and backward, and what it leaves to the reference."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import renga
import renga.functions as F
from renga import Variable
from renga.backend import get_device, to_host

TORCH = get_device("torch")


def arrays(*shapes, dtype="float64"):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def computed(call, xs, **kernels):
    """The output and the gradients of a function; kernels are forced by operation."""
    with renga.using({f"kernels.{op}": kernel for op, kernel in kernels.items()}):
        variables = [Variable(TORCH.send(x)) for x in xs]
        y = call(*variables)
        weights = np.cos(np.arange(y.size)).reshape(y.shape).astype(y.dtype)
        F.sum(y * TORCH.send(weights)).backward()
    return [to_host(y), *[to_host(v.grad) for v in variables]]


CONVOLUTIONS = {
    "plain": ({}, (2, 4, 7, 6), (3, 4, 3, 3)),
    "strided, padded": ({"stride": 2, "pad": 1}, (2, 4, 7, 7), (3, 4, 3, 3)),
    "what is left over": ({"stride": (3, 2), "pad": (1, 0)}, (2, 4, 8, 9), (3, 4, 3, 2)),
    "dilated, in groups": ({"dilate": 2, "groups": 2}, (2, 4, 7, 8), (6, 2, 3, 2)),
}


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolution(case):
    options, *shapes = CONVOLUTIONS[case]
    xs = arrays(*shapes, (shapes[1][0],))
    ops = ("convolution", "deconvolution", "convolution_filter_gradient")

    def call(x, W, b):
        return F.convolution_2d(x, W, b, **options)

    # A kernel that is forced and does not support its arguments raises.
    for got, right in zip(
        computed(call, xs, **dict.fromkeys(ops, "torch")),
        computed(call, xs, **dict.fromkeys(ops, "reference")),
        strict=True,
    ):
        np.testing.assert_allclose(got, right, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("outsize", [None, (8, 7)])
def test_deconvolution(outsize):
    def call(x, W, b):
        return F.deconvolution_2d(x, W, b, stride=2, pad=1, outsize=outsize)

    xs = arrays((2, 3, 4, 4), (3, 5, 3, 3), (5,))
    ops = ("convolution", "deconvolution", "convolution_filter_gradient")
    for got, right in zip(
        computed(call, xs, **dict.fromkeys(ops, "torch")),
        computed(call, xs, **dict.fromkeys(ops, "reference")),
        strict=True,
    ):
        np.testing.assert_allclose(got, right, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shape", [(8, 3), (4, 3, 5, 2)])
def test_batch_normalization(shape):
    xs = arrays(shape, (3,), (3,))
    statistics = {}

    def call(kernel):
        mean, var = statistics[kernel] = TORCH.xp.zeros(3), TORCH.xp.ones(3)
        return lambda x, gamma, beta: F.batch_normalization(x, gamma, beta, running_mean=mean, running_var=var)

    for got, right in zip(
        computed(call("torch"), xs, batch_normalization="torch"),
        computed(call("reference"), xs, batch_normalization="reference"),
        strict=True,
    ):
        np.testing.assert_allclose(got, right, rtol=1e-9, atol=1e-12)
    for got, right in zip(statistics["torch"], statistics["reference"], strict=True):
        np.testing.assert_allclose(to_host(got), to_host(right), rtol=1e-9)


@pytest.mark.parametrize(
    "options", [{"ksize": 2}, {"ksize": 3, "stride": 2, "pad": 1}, {"ksize": 2, "cover_all": False}]
)
def test_max_pooling(options):
    (x,) = arrays((2, 3, 7, 6))
    x = np.round(x)  # with ties, of which the first wins
    for got, right in zip(
        computed(lambda x: F.max_pooling_2d(x, **options), [x], max_pooling="torch"),
        computed(lambda x: F.max_pooling_2d(x, **options), [x], max_pooling="reference"),
        strict=True,
    ):
        np.testing.assert_allclose(got, right, rtol=1e-14)


@pytest.mark.parametrize(
    ("op", "call", "shapes", "dtype"),
    [
        ("convolution", F.convolution_2d, [(1, 2, 4, 4), (2, 2, 3, 3)], "float16"),
        (
            "convolution",
            lambda x, W: F.convolution_2d(x, W, stride=2, cover_all=True),
            [(1, 1, 4, 4), (1, 1, 3, 3)],
            "f4",
        ),
        ("batch_normalization", lambda x, g, b: F.batch_normalization(x, g, b, axis=1), [(3, 4), (3,), (3,)], "f4"),
        ("max_pooling", lambda x: F.max_pooling_2d(x, 2), [(1, 2, 4, 4)], "float16"),
    ],
)
def test_the_reference_does_the_rest(op, call, shapes, dtype):
    xs = arrays(*shapes, dtype=dtype)
    with renga.using({f"kernels.{op}": "torch"}), pytest.raises(RuntimeError, match="does not support"):
        call(*[Variable(TORCH.send(x)) for x in xs])
    on_torch, on_numpy = call(*map(TORCH.send, xs)), call(*xs)
    np.testing.assert_allclose(to_host(on_torch), on_numpy.array, rtol=1e-2 if dtype == "float16" else 1e-5, atol=1e-3)


def test_pytorch_builds_no_graph():
    x = torch.ones((1, 1, 3, 3), requires_grad=True)
    y = F.convolution_2d(Variable(x), TORCH.xp.ones((1, 1, 2, 2), "float32"))
    assert not y.array.native.requires_grad
    assert y.array.native.grad_fn is None


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("front", [(), (2,), (2, 3)])
def test_attention(front, causal):
    xs = arrays((*front, 5, 4), (*front, 6, 4), (*front, 6, 3))

    def call(query, key, value):
        return F.scaled_dot_product_attention(query, key, value, causal=causal)

    op = "scaled_dot_product_attention"
    for got, right in zip(computed(call, xs, **{op: "torch"}), computed(call, xs, **{op: "reference"}), strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-10, atol=1e-12)


def test_attention_with_a_mask_is_left_to_the_reference():
    query, key, value = (TORCH.send(x) for x in arrays((5, 4), (6, 4), (6, 3)))
    with (
        renga.using({"kernels.scaled_dot_product_attention": "torch"}),
        pytest.raises(RuntimeError, match="does not support these arguments"),
    ):
        F.scaled_dot_product_attention(query, key, value, np.ones((5, 6), bool))
