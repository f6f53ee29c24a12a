import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.connection import linear
from renga_testing.function_suite import FunctionSuite


class TestLinear(FunctionSuite):
    cases = {
        "matrix": {"shape": (4, 3), "axes": 1, "bias": True},
        "no bias": {"shape": (4, 3), "axes": 1, "bias": False},
        "features of several axes": {"shape": (4, 3, 2), "axes": 1, "bias": True},
        "batch of several axes": {"shape": (2, 3, 4), "axes": 2, "bias": True},
    }
    bad_inputs = {
        "features do not fit": (
            (np.zeros((2, 4)), np.zeros((5, 3))),
            InvalidType,
            ["linear: x", "3 features", "float64 (2, 4)", "float64 (5, 3)"],
        ),
        "bias does not fit": (
            (np.zeros((2, 3)), np.zeros((5, 3)), np.zeros(4)),
            InvalidType,
            ["linear: b", "(5,)", "(4,)"],
        ),
        "W is no matrix": ((np.zeros((2, 3)), np.zeros(3)), InvalidType, ["linear: W"]),
        "integers": ((np.zeros((2, 3), int), np.zeros((5, 3))), InvalidType, ["linear: x", "floating"]),
        "no features": ((np.zeros(3), np.zeros((5, 3))), ValueError, ["n_batch_axes=1", "float64 (3,)"]),
    }

    def make_inputs(self, rng, dtype):
        features = int(np.prod(self.shape[self.axes :]))
        arrays = rng.normal(size=self.shape), rng.normal(size=(5, features)), rng.normal(size=5)
        return tuple(a.astype(dtype) for a in arrays[: 3 if self.bias else 2])

    def call(self, x, W, b=None):
        return linear(x, W, b, self.axes)

    def reference(self, x, W, b=0.0):
        rows = x.reshape(*x.shape[: self.axes], W.shape[1])
        return np.einsum("...i,oi->...o", rows, W) + b

    def empty_inputs(self, dtype):
        shape = (0, *self.shape[1:])
        features = int(np.prod(self.shape[self.axes :]))
        return tuple(np.ones(s, dtype) for s in (shape, (5, features), (5,)))


def test_batch_axes_are_checked():
    with pytest.raises(ValueError, match="n_batch_axes=2 leaves no feature axis"):
        linear(Variable(np.zeros((2, 3))), np.zeros((5, 3)), n_batch_axes=2)


def test_parameters_of_another_dtype_get_gradients_in_their_own():
    x = Variable(np.ones((2, 3), np.float16))
    W = Variable(np.ones((1, 3), np.float32))
    y = linear(x, W)
    y.grad = np.ones(y.shape, y.dtype)
    y.backward()
    assert (x.grad.dtype, W.grad.dtype) == (np.float16, np.float32)
