"""Pooling over one, three and any number of axes, against loops over windows."""

import itertools

import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.functions import (
    average_pooling_1d,
    average_pooling_2d,
    average_pooling_3d,
    average_pooling_nd,
    max_pooling_1d,
    max_pooling_2d,
    max_pooling_3d,
    max_pooling_nd,
)
from renga_testing.function_suite import FunctionSuite


def each(value, n):
    return value if isinstance(value, tuple) else (value,) * n


def windows(x, ksize, stride, pad, cover_all=False):
    """The place of each window in the result, and the part of `x` that it sees."""
    n = x.ndim - 2
    ks, ps = each(ksize, n), each(pad, n)
    ss = ks if stride is None else each(stride, n)
    axes = []
    for size, k, s, p in zip(x.shape[2:], ks, ss, ps, strict=True):
        starts = [a for a in range(-p, size, s) if a + k <= size + p]
        if cover_all and starts[-1] + k < size + p and starts[-1] + s < size:
            starts.append(starts[-1] + s)
        axes.append(list(enumerate(starts)))
    for corner in itertools.product(*axes):
        seen = tuple(slice(max(start, 0), start + k) for (_, start), k in zip(corner, ks, strict=True))
        yield tuple(i for i, _ in corner), x[(slice(None), slice(None), *seen)]


def pooled(x, parts, summary):
    spatial = tuple(range(2, x.ndim))
    parts = dict(parts)
    y = np.zeros((*x.shape[:2], *np.add(max(parts), 1)))
    for place, seen in parts.items():
        y[(..., *place)] = summary(seen, spatial) if seen.size else 0
    return y


class PoolingSuite(FunctionSuite):
    """`function` over images of `size`, with `options`."""

    def make_inputs(self, rng, dtype):
        shape = (2, 2, *self.size)
        return ((rng.permutation(np.prod(shape)).reshape(shape) / 8 - 3).astype(dtype),)

    def call(self, x):
        return self.function(x, self.ksize, self.stride, self.pad, self.last)

    def empty_inputs(self, dtype):
        return (np.ones((0, 2, *self.size), dtype),)


def settings(function, size, ksize, stride=None, pad=0, last=True):
    return {
        "function": staticmethod(function).__func__,
        "size": size,
        "ksize": ksize,
        "stride": stride,
        "pad": pad,
        "last": last,
    }


class MaxPooling(PoolingSuite):
    def reference(self, x):
        return pooled(x, windows(x, self.ksize, self.stride, self.pad, self.last), np.max)


class TestMaxPooling1D(MaxPooling):
    cases = {
        "plain": settings(max_pooling_1d, (7,), 3, 2, 1),
        "rest left out": settings(max_pooling_1d, (7,), 2, last=False),
    }
    bad_inputs = {
        "an image": ((np.zeros((2, 3, 4, 4)),), InvalidType, ["max_pooling_1d: x", "3 axes", "(2, 3, 4, 4)"]),
        "integers": ((np.zeros((2, 3, 4), int),), InvalidType, ["max_pooling_1d: x", "floating"]),
    }


class TestMaxPooling3D(MaxPooling):
    cases = {
        "plain": settings(max_pooling_3d, (3, 4, 3), 2),
        "overlapping": settings(max_pooling_3d, (3, 4, 3), (2, 3, 2), (1, 2, 1), (0, 1, 1), False),
    }
    bad_inputs = {
        "an image": ((np.zeros((2, 3, 4, 4)),), InvalidType, ["max_pooling_3d: x", "5 axes", "(2, 3, 4, 4)"]),
        "integers": ((np.zeros((2, 3, 4, 4, 4), int),), InvalidType, ["max_pooling_3d: x", "floating"]),
    }


class TestMaxPoolingND(MaxPooling):
    cases = {
        "one axis": settings(max_pooling_nd, (6,), (4,), (3,)),
        "two axes": settings(max_pooling_nd, (5, 4), (3, 2), 2, 1),
        "four axes": settings(max_pooling_nd, (2, 3, 2, 3), 2),
    }
    bad_inputs = {
        "another number of axes": ((np.zeros((2, 3, 4, 4)),), ValueError, ["max_pooling_nd"]),
        "integers": ((np.zeros((2, 3, 4), int),), InvalidType, ["max_pooling_nd: x", "floating"]),
    }


class AveragePooling(PoolingSuite):
    def reference(self, x):
        if self.last is None:
            return pooled(x, windows(x, self.ksize, self.stride, self.pad), np.mean)
        n = x.ndim - 2
        widths = [(0, 0), (0, 0), *[(p, p) for p in each(self.pad, n)]]
        return pooled(x, windows(np.pad(x, widths), self.ksize, self.stride or self.ksize, 0), np.mean)


class TestAveragePooling1D(AveragePooling):
    cases = {
        "plain": settings(average_pooling_1d, (7,), 3, 2, 1, last=0),
        "border ignored": settings(average_pooling_1d, (7,), 3, 2, 2, last=None),
    }
    bad_inputs = {
        "an image": ((np.zeros((2, 3, 4, 4)),), InvalidType, ["average_pooling_1d: x", "3 axes", "(2, 3, 4, 4)"]),
        "integers": ((np.zeros((2, 3, 4), int),), InvalidType, ["average_pooling_1d: x", "floating"]),
    }


class TestAveragePooling3D(AveragePooling):
    cases = {
        "plain": settings(average_pooling_3d, (3, 4, 3), 2, last=0),
        "border ignored": settings(average_pooling_3d, (3, 4, 3), (2, 3, 2), (1, 2, 1), (0, 1, 1), last=None),
    }
    bad_inputs = {
        "an image": ((np.zeros((2, 3, 4, 4)),), InvalidType, ["average_pooling_3d: x", "5 axes", "(2, 3, 4, 4)"]),
        "integers": ((np.zeros((2, 3, 4, 4, 4), int),), InvalidType, ["average_pooling_3d: x", "floating"]),
    }


class TestAveragePoolingND(AveragePooling):
    cases = {
        "two axes": settings(average_pooling_nd, (5, 4), (3, 2), 2, 1, last=None),
        "four axes": settings(average_pooling_nd, (2, 3, 2, 3), 2, 1, 1, last=0),
    }
    bad_inputs = {
        "another number of axes": ((np.zeros((2, 3, 4)),), ValueError, ["average_pooling_nd"]),
        "integers": ((np.zeros((2, 3, 4, 4), int),), InvalidType, ["average_pooling_nd: x", "floating"]),
    }


def test_any_number_of_axes_is_at_least_one():
    for function in (max_pooling_nd, average_pooling_nd):
        with pytest.raises(InvalidType, match=rf"{function.__name__}: x: expected axes after the first two"):
            function(np.zeros((3, 4)), 2)


def test_the_border_is_zero_or_ignored():
    with pytest.raises(ValueError, match="average_pooling_1d: pad_value must be 0 or None, not 1"):
        average_pooling_1d(np.zeros((1, 1, 4)), 2, pad_value=1)


@pytest.mark.parametrize("cover_all", [False, True])
def test_indices_point_to_the_maxima(cover_all):
    x = np.random.default_rng(0).normal(size=(2, 2, 3, 5, 4))
    y, indices = max_pooling_3d(x, (2, 3, 2), (1, 2, 2), (1, 1, 0), cover_all, return_indices=True)
    offsets = np.stack(np.unravel_index(to_host(indices), (2, 3, 2)))
    n, c, *places = np.indices(y.shape)
    d, h, w = [p * s - b + o for p, s, b, o in zip(places, (1, 2, 2), (1, 1, 0), offsets, strict=True)]
    np.testing.assert_array_equal(x[n, c, d, h, w], y.array)


def test_two_axes_by_both_names():
    x = np.random.default_rng(0).normal(size=(2, 3, 7, 6))
    np.testing.assert_array_equal(max_pooling_nd(x, 3, 2, 1).array, max_pooling_2d(x, 3, 2, 1).array)
    np.testing.assert_array_equal(average_pooling_nd(x, 3, 2, 1).array, average_pooling_2d(x, 3, 2, 1).array)


@pytest.mark.torch
@pytest.mark.parametrize("axes", [1, 3])
def test_pytorch_agrees(axes):
    torch = pytest.importorskip("torch")
    functional = torch.nn.functional
    x = np.random.default_rng(0).normal(size=(2, 3, 7, 5, 6)[: axes + 2])
    maximum = getattr(functional, f"max_pool{axes}d")
    mean = getattr(functional, f"avg_pool{axes}d")
    for ours, theirs in [
        (
            max_pooling_nd(v := Variable(x), 3, 2, 1),
            maximum(t := torch.tensor(x, requires_grad=True), 3, 2, 1, 1, True),
        ),
        (average_pooling_nd(v, 3, 2, 1), mean(t, 3, 2, 1)),
        (average_pooling_nd(v, 3, 2, 1, None), mean(t, 3, 2, 1, count_include_pad=False)),
    ]:
        np.testing.assert_allclose(ours.array, theirs.detach().numpy())
        v.cleargrad()
        t.grad = None
        (ours * ours).sum().backward()
        (theirs * theirs).sum().backward()
        np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-12)
