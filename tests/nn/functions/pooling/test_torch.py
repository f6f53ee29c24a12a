"""Pooling against PyTorch, over random shapes: results and gradients."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from renga_core.graph import Variable
from renga_nn.functions.pooling import average_pooling_2d, max_pooling_2d

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def both_pairs(low, high):
    return st.tuples(st.integers(low, high), st.integers(low, high))


@st.composite
def problems(draw):
    ksize = draw(both_pairs(1, 4))
    pad = tuple(draw(st.integers(0, k // 2)) for k in ksize)
    size = draw(both_pairs(1, 9))
    assume(all(n + 2 * p >= k for n, p, k in zip(size, pad, ksize, strict=True)))
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 3)), *size)
    x = np.random.default_rng(draw(st.integers(0, 100))).permutation(int(np.prod(shape))).reshape(shape).astype(float)
    return x, ksize, draw(both_pairs(1, 4)), pad


def compare(ours, theirs, x):
    v, t = Variable(x), torch.tensor(x, requires_grad=True)
    y, expected = ours(v), theirs(t)
    assert y.shape == tuple(expected.shape)
    np.testing.assert_allclose(y.array, expected.detach().numpy())
    gy = np.random.default_rng(1).normal(size=y.shape)
    y.grad = gy
    y.backward()
    expected.backward(torch.tensor(gy))
    np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-12)


@settings(max_examples=100)
@given(problems(), st.booleans())
def test_max_pooling_2d(problem, cover_all):
    x, ksize, stride, pad = problem
    compare(
        lambda v: max_pooling_2d(v, ksize, stride, pad, cover_all),
        lambda t: torch.nn.functional.max_pool2d(t, ksize, stride, pad, ceil_mode=cover_all),
        x,
    )


@settings(max_examples=60)
@given(problems())
def test_average_pooling_2d(problem):
    x, ksize, stride, pad = problem
    compare(
        lambda v: average_pooling_2d(v, ksize, stride, pad),
        lambda t: torch.nn.functional.avg_pool2d(t, ksize, stride, pad),
        x,
    )
