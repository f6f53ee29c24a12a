import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.graph import InvalidType, Variable
from renga_nn.functions.pooling import max_pooling_2d
from renga_testing.function_suite import FunctionSuite

DEFAULTS = {"ksize": 2, "stride": None, "pad": 0, "cover_all": True}


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


def windows(x, ksize, stride, pad, cover_all):
    """Each window's place in the result, and the part of `x` it sees."""
    ks, ps = pair(ksize), pair(pad)
    ss = ks if stride is None else pair(stride)
    starts = []
    for n, k, s, p in zip(x.shape[2:], ks, ss, ps, strict=True):
        axis = [a for a in range(-p, n, s) if a + k <= n + p]
        if cover_all and axis[-1] + k < n + p and axis[-1] + s < n:
            axis.append(axis[-1] + s)
        starts.append(axis)
    for i, top in enumerate(starts[0]):
        for j, left in enumerate(starts[1]):
            seen = (slice(max(top, 0), top + ks[0]), slice(max(left, 0), left + ks[1]))
            yield (i, j), x[(slice(None), slice(None), *seen)]


class TestMaxPooling2D(FunctionSuite):
    cases = {
        "side by side": DEFAULTS,
        "rest at the end": {**DEFAULTS, "ksize": (3, 2)},
        "rest left out": {**DEFAULTS, "ksize": (3, 4), "cover_all": False},
        "overlapping": {**DEFAULTS, "ksize": 3, "stride": 2, "pad": 1},
        "far apart": {**DEFAULTS, "ksize": 1, "stride": (2, 3)},
        "border": {**DEFAULTS, "ksize": (3, 2), "stride": 1, "pad": (2, 1), "cover_all": False},
        # One more position would fit, but it would lie in the border altogether.
        "nothing to see": {**DEFAULTS, "ksize": 2, "stride": 4, "pad": 1},
    }
    bad_inputs = {
        "three axes": ((np.zeros((2, 3, 4)),), InvalidType, ["max_pooling_2d: x", "4 axes", "(2, 3, 4)"]),
        "integers": ((np.zeros((2, 3, 4, 4), int),), InvalidType, ["max_pooling_2d: x", "floating"]),
    }

    def make_inputs(self, rng, dtype):
        return (rng.permutation(2 * 3 * 5 * 6).reshape(2, 3, 5, 6).astype(dtype),)

    def call(self, x):
        return max_pooling_2d(x, self.ksize, self.stride, self.pad, self.cover_all)

    def reference(self, x):
        parts = dict(windows(x, self.ksize, self.stride, self.pad, self.cover_all))
        y = np.zeros((*x.shape[:2], *np.add(max(parts), 1)))
        for (i, j), seen in parts.items():
            y[:, :, i, j] = seen.max(axis=(2, 3)) if seen.size else 0
        return y

    def empty_inputs(self, dtype):
        return (np.ones((0, 3, 5, 6), dtype),)


def test_the_gradient_goes_to_the_first_of_equals():
    x = Variable(np.zeros((1, 1, 2, 2)))
    y = max_pooling_2d(x, 2)
    y.backward()
    assert x.grad.tolist() == [[[[1, 0], [0, 0]]]]


def test_indices_name_the_element_of_the_window():
    x = np.array([[[[1.0, 2.0, 7.0], [4.0, 3.0, 5.0]]]])
    y, indices = max_pooling_2d(x, 2, return_indices=True)
    assert y.array.tolist() == [[[[4, 7]]]]
    assert to_host(indices).tolist() == [[[[2, 0]]]]


def test_nan_is_passed_on():
    assert np.isnan(max_pooling_2d(np.array([[[[np.nan, 1.0], [2.0, 3.0]]]]), 2).array).all()


def test_window_larger_than_the_image():
    with pytest.raises(InvalidType, match=r"a window of \(3, 3\) fits into.*\(1, 1, 2, 2\)"):
        max_pooling_2d(np.zeros((1, 1, 2, 2)), 3, cover_all=False)


def test_border_wider_than_the_window():
    with pytest.raises(ValueError, match=r"pad=2 is not smaller than ksize=2"):
        max_pooling_2d(np.zeros((1, 1, 4, 4)), 2, pad=2)
