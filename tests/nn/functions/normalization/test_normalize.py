import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable, grad
from renga_nn.functions.normalization import normalize
from renga_testing.function_suite import FunctionSuite


class TestNormalize(FunctionSuite):
    cases = {
        "vectors": {"shape": (3, 4), "arguments": {}},
        "images": {"shape": (2, 3, 2, 2), "arguments": {"eps": 0.1}},
        "two axes": {"shape": (2, 3, 4), "arguments": {"axis": (0, -1)}},
        "first axis": {"shape": (4, 2), "arguments": {"axis": 0, "eps": 0.5}},
    }
    bad_inputs = {
        "integers": ((np.ones((4, 3), int),), InvalidType, ["normalize: x", "floating"]),
        "no such axis": ((np.ones(4),), ValueError, ["normalize: a", "1"]),
    }

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=self.shape).astype(dtype),)

    def call(self, x):
        return normalize(x, **self.arguments)

    def reference(self, x):
        axis = self.arguments.get("axis", 1)
        return x / (np.sqrt(np.sum(np.square(x), axis=axis, keepdims=True)) + self.arguments.get("eps", 1e-5))

    def empty_inputs(self, dtype):
        return (np.ones((0, *self.shape[1:]), dtype),)


def test_at_zero_all_derivatives_are_finite():
    x = Variable(np.zeros((1, 3)))
    y = normalize(x, eps=0.5)
    assert not y.array.any()
    (gx,) = grad([y], [x], grad_outputs=[Variable(np.array([[1.0, -2.0, 3.0]]))], enable_double_backprop=True)
    np.testing.assert_allclose(gx.array, [[2, -4, 6]])
    (ggx,) = grad([gx], [x], grad_outputs=[Variable(np.ones((1, 3)))])
    assert ggx is None or np.isfinite(ggx.array).all()


@pytest.mark.parametrize("axis", [2, (1, 1)])
def test_axes_that_make_no_sense(axis):
    with pytest.raises(ValueError, match="normalize: a"):
        normalize(np.ones((2, 3)), axis=axis)
