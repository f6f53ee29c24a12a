import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable
from renga_nn.functions.connection import embed_id
from renga_testing.function_suite import FunctionSuite


class TestEmbedID(FunctionSuite):
    cases = {"all": {"ignore": None, "shape": (2, 3)}, "ignoring": {"ignore": -1, "shape": (6,)}}
    bad_inputs = {
        "numbers that are no integers": ((np.zeros(2), np.zeros((3, 2))), InvalidType, ["embed_id: x", "integers"]),
        "no matrix": ((np.zeros(2, int), np.zeros(3)), InvalidType, ["embed_id: W", "(3,)"]),
        "too large": ((np.array([3]), np.zeros((3, 2))), IndexError, ["3"]),
    }

    def make_inputs(self, rng, dtype):
        ids = np.array([0, 2, 2, 3, 0, 2])
        if self.ignore is not None:
            ids[[1, 3]] = self.ignore
        return ids.reshape(self.shape), rng.normal(size=(4, 3)).astype(dtype)

    def call(self, x, W):
        return embed_id(x, W, self.ignore if hasattr(self, "ignore") else None)

    def reference(self, x, W):
        one_hot = (x[..., None] == np.arange(len(W))).astype(float)
        return one_hot @ W

    def empty_inputs(self, dtype):
        return np.zeros((0, 2), int), np.ones((4, 3), dtype)


def test_a_number_that_is_ignored_may_lie_in_range():
    W = Variable(np.ones((2, 1)))
    y = embed_id(np.array([0, 1]), W, ignore_label=1)
    y.grad = np.ones((2, 1))
    y.backward()
    assert y.array.tolist() == [[1], [0]]
    assert W.grad.tolist() == [[1], [0]]


def test_debug_mode_refuses_negative_numbers():
    with using_config("debug", True), pytest.raises(IndexError, match=r"ids outside 0 to 1, .* such as -2"):
        embed_id(np.array([0, -2]), Variable(np.ones((2, 1))))
