import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import renga.functions as F
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable, grad
from renga_core.tracer import Tracer
from renga_nn.functions.connection import linear_relu
from renga_testing.function_suite import FunctionSuite


class TestLinearReLU(FunctionSuite):
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
            ["linear_relu: x", "3 features", "float64 (2, 4)", "float64 (5, 3)"],
        ),
        "bias does not fit": (
            (np.zeros((2, 3)), np.zeros((5, 3)), np.zeros(4)),
            InvalidType,
            ["linear_relu: b", "(5,)", "(4,)"],
        ),
        "W is no matrix": ((np.zeros((2, 3)), np.zeros(3)), InvalidType, ["linear_relu: W"]),
        "no features": ((np.zeros(3), np.zeros((5, 3))), ValueError, ["linear_relu: n_batch_axes=1", "float64 (3,)"]),
    }

    def make_inputs(self, rng, dtype):
        """Nothing close to the kink of ReLU."""
        features = int(np.prod(self.shape[self.axes :]))
        while True:
            arrays = rng.normal(size=self.shape), rng.normal(size=(5, features)), rng.normal(size=5)
            arrays = tuple(a.astype(dtype) for a in arrays[: 3 if self.bias else 2])
            if abs(self.before_relu(*arrays)).min() > 0.02:
                return arrays

    def call(self, x, W, b=None):
        return linear_relu(x, W, b, self.axes)

    def before_relu(self, x, W, b=0.0):
        rows = x.reshape(*x.shape[: self.axes], W.shape[1])
        return np.einsum("...i,oi->...o", rows, W) + b

    def reference(self, *arrays):
        return np.maximum(self.before_relu(*arrays), 0)

    def empty_inputs(self, dtype):
        shape = (0, *self.shape[1:])
        features = int(np.prod(self.shape[self.axes :]))
        return tuple(np.ones(s, dtype) for s in (shape, (5, features), (5,)))


@given(
    rows=st.sampled_from([1, 7, 130]),
    sizes=st.sampled_from([(1, 1), (3, 5), (150, 140), (40, 3)]),
    bias=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
    seed=st.integers(0, 9),
)
def test_equals_two_functions_bit_for_bit(rows, sizes, bias, dtype, seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.standard_normal(shape).astype(dtype) for shape in ((rows, sizes[0]), sizes[::-1], sizes[1:])]
    inputs = [Variable(a) for a in arrays[: 3 if bias else 2]]
    gy = rng.standard_normal((rows, sizes[1])).astype(dtype)
    got, right = linear_relu(*inputs), F.relu(F.linear(*inputs))
    np.testing.assert_array_equal(got.array, right.array)
    for ours, theirs in zip(grad([got], inputs, [gy]), grad([right], inputs, [gy]), strict=True):
        np.testing.assert_array_equal(ours.array, theirs.array)


@pytest.mark.parametrize("rows", [2, 200])
def test_nan_is_not_hidden(rows):
    x, W = np.ones((rows, 150), np.float32), np.ones((140, 150), np.float32)
    x[1, 1] = np.nan
    y = linear_relu(x, W).array
    assert np.isnan(y[1]).all()
    assert not np.isnan(y[0]).any()


@pytest.mark.parametrize("graph", [True, False])
def test_a_tracer_without_a_graph_sees_both_functions(graph):
    class Seen(Tracer):
        def __init__(self):
            self.names = []

        def apply(self, proceed, function, inputs):
            self.names.append(type(function).__name__)
            return proceed(function, inputs)

    with using_config("enable_backprop", graph), Seen() as seen:
        linear_relu(np.ones((2, 3)), np.ones((4, 3)))
    assert seen.names == (["LinearReLU"] if graph else ["Linear", "ReLU"])


def test_parameters_of_another_dtype_get_gradients_in_their_own():
    x, W = Variable(np.ones((2, 3), np.float16)), Variable(np.ones((1, 3), np.float32))
    y = linear_relu(x, W)
    y.grad = np.ones(y.shape, y.dtype)
    y.backward()
    assert (y.dtype, x.grad.dtype, W.grad.dtype) == (np.float16, np.float16, np.float32)
