"""Convolutions against PyTorch, over random shapes: results and gradients."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from renga_core.graph import Variable
from renga_nn.functions.connection import convolution_2d, deconvolution_2d

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def both_pairs(low, high):
    return st.tuples(st.integers(low, high), st.integers(low, high))


@st.composite
def problems(draw):
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    return {
        "batch": draw(st.integers(1, 3)),
        "channels": groups * draw(st.integers(1, 3)),
        "filters": groups * draw(st.integers(1, 3)),
        "size": draw(both_pairs(1, 9)),
        "ksize": draw(both_pairs(1, 4)),
        "bias": draw(st.booleans()),
        "arguments": {
            "stride": draw(both_pairs(1, 3)),
            "pad": draw(both_pairs(0, 3)),
            "dilate": draw(both_pairs(1, 3)),
            "groups": groups,
        },
        "seed": draw(st.integers(0, 100)),
    }


def compare(ours, theirs, arrays):
    """Results and gradients of a function and of PyTorch's, for the same random gradient."""
    variables = [Variable(a) for a in arrays]
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    y = ours(*variables)
    expected = theirs(*tensors)
    assert y.shape == tuple(expected.shape)
    np.testing.assert_allclose(y.array, expected.detach().numpy(), rtol=1e-9, atol=1e-9)
    gy = np.random.default_rng(1).normal(size=y.shape)
    y.grad = gy
    y.backward()
    expected.backward(torch.tensor(gy))
    for v, t in zip(variables, tensors, strict=True):
        np.testing.assert_allclose(v.grad, t.grad.numpy(), rtol=1e-9, atol=1e-9)


@settings(max_examples=100)
@given(problems())
def test_convolution_2d(p):
    a = p["arguments"]
    reach = [d * (k - 1) + 1 for d, k in zip(a["dilate"], p["ksize"], strict=True)]
    assume(all(n + 2 * q >= r for n, q, r in zip(p["size"], a["pad"], reach, strict=True)))
    rng = np.random.default_rng(p["seed"])
    arrays = [
        rng.normal(size=(p["batch"], p["channels"], *p["size"])),
        rng.normal(size=(p["filters"], p["channels"] // a["groups"], *p["ksize"])),
    ]
    if p["bias"]:
        arrays.append(rng.normal(size=p["filters"]))
    compare(
        lambda *v: convolution_2d(*v, **a),
        lambda x, W, b=None: torch.nn.functional.conv2d(x, W, b, a["stride"], a["pad"], a["dilate"], a["groups"]),
        arrays,
    )


@settings(max_examples=100)
@given(problems(), both_pairs(0, 2))
def test_deconvolution_2d(p, extra):
    a = p["arguments"]
    # PyTorch takes what is added to the smallest size, and wants it smaller than the stride.
    extra = [min(e, s - 1) for e, s in zip(extra, a["stride"], strict=True)]
    sizes = list(zip(p["size"], p["ksize"], a["stride"], a["pad"], a["dilate"], extra, strict=True))
    outsize = tuple(s * (n - 1) + d * (k - 1) + 1 - 2 * q + e for n, k, s, q, d, e in sizes)
    assume(min(outsize) >= 1 and all(o > e for o, e in zip(outsize, extra, strict=True)))
    rng = np.random.default_rng(p["seed"])
    arrays = [
        rng.normal(size=(p["batch"], p["filters"], *p["size"])),
        rng.normal(size=(p["filters"], p["channels"] // a["groups"], *p["ksize"])),
    ]
    if p["bias"]:
        arrays.append(rng.normal(size=p["channels"]))
    compare(
        lambda *v: deconvolution_2d(*v, outsize=outsize, **a),
        lambda x, W, b=None: torch.nn.functional.conv_transpose2d(
            x, W, b, a["stride"], a["pad"], extra, a["groups"], a["dilate"]
        ),
        arrays,
    )
