"""pad_sequence, transpose_sequence."""

import itertools
import sys
import tracemalloc

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable, grad
from renga_nn.functions import pad_sequence, transpose_sequence
from renga_testing.function_suite import FunctionSuite


class OfSequences(FunctionSuite):
    lengths = (4, 2, 2, 1)
    features = (3,)

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal((n, *self.features)).astype(dtype) for n in self.lengths)


class TestPadSequence(OfSequences):
    cases = {
        "descending": {"options": {}},
        "longer": {"options": {"length": 6, "padding": -1.5}, "lengths": (2, 4, 0, 3)},
        "numbers": {"options": {}, "features": ()},
    }
    bad_inputs = {
        "features": ((np.zeros((2, 3)), np.zeros((1, 2))), InvalidType, ("pad_sequence", "xs", "(2, 3)", "(1, 2)")),
        "dtypes": ((np.zeros(2), np.zeros(1, "f")), InvalidType, ("pad_sequence", "xs", "float64", "float32")),
        "no axes": ((np.zeros(()),), InvalidType, ("pad_sequence", "xs", "(length, ...)")),
        "none": ((), InvalidType, ("pad_sequence", "xs", "at least one")),
    }

    def call(self, *xs):
        return pad_sequence(xs, **self.options)

    def reference(self, *xs):
        length = self.options.get("length", max(map(len, xs)))
        y = np.full((len(xs), length, *xs[0].shape[1:]), self.options.get("padding", 0.0))
        for row, x in zip(y, xs, strict=True):
            row[: len(x)] = x
        return y

    def empty_inputs(self, dtype):
        return tuple(np.zeros((0, 2), dtype) for _ in range(3))


def test_a_length_that_is_too_short():
    with pytest.raises(ValueError, match="3 elements does not fit into a length of 2"):
        pad_sequence([np.zeros(3)], 2)


class TestTransposeSequence(OfSequences):
    cases = {
        "different": {},
        "alike": {"lengths": (2, 2, 2)},
        "one": {"lengths": (3,)},
        "an empty one": {"lengths": (2, 1, 0)},
        "images": {"features": (2, 1)},
    }
    bad_inputs = {
        "order": (
            (np.zeros(2), np.zeros(3)),
            InvalidType,
            ("transpose_sequence", "xs", "descending", "[2, 3]", "Sort"),
        ),
        "features": ((np.zeros((2, 3)), np.zeros((1, 2))), InvalidType, ("transpose_sequence", "(2, 3)", "(1, 2)")),
    }

    def call(self, *xs):
        return transpose_sequence(xs)

    def reference(self, *xs):
        return tuple(np.stack([x[t] for x in xs if len(x) > t]) for t in range(len(xs[0])))

    def empty_inputs(self, dtype):
        return tuple(np.zeros((n, 0), dtype) for n in (3, 1))


def test_nothing_to_transpose():
    assert transpose_sequence([]) == ()
    assert transpose_sequence([np.zeros((0, 2))]) == ()


def test_there_and_back():
    xs = [np.random.default_rng(n).normal(size=(n, 2)) for n in (5, 3, 3, 1)]
    back = transpose_sequence(transpose_sequence(xs))
    for x, y in zip(xs, back, strict=True):
        np.testing.assert_array_equal(x, y.array)


@pytest.mark.parametrize("function", [lambda xs: (pad_sequence(xs),), transpose_sequence])
def test_work_grows_with_the_number_of_sequences_only(function):
    """First and second gradients of eight times as many sequences take eight times the calls and the memory, not 64."""

    def work(number):
        xs = [Variable(np.ones((4, 8))) for _ in range(number)]
        calls = itertools.count()
        tracemalloc.start()
        sys.setprofile(lambda *_: next(calls))
        try:
            ys = function(xs)
            gxs = grad(ys, xs, [Variable(np.ones(y.shape)) for y in ys], enable_double_backprop=True)
            total = sum((gx * gx for gx in gxs[1:]), start=gxs[0] * gxs[0])
            total.grad = np.ones(total.shape)
            total.backward()
        finally:
            sys.setprofile(None)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return np.array([next(calls), peak])

    work(10)
    assert (work(800) < 10 * work(100)).all()
