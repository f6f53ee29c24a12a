import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_backend
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable, grad
from renga_nn.functions import dropout, dropout_add
from renga_testing.function_suite import FunctionSuite


class TestDropoutAdd(FunctionSuite):
    """Nothing is dropped here, so that all backends agree; see below for what is."""

    bad_inputs = {
        "integers": ((np.arange(3), np.arange(3)), InvalidType, ("dropout_add", "floating", "int64 (3,)")),
        "another shape": (
            (np.ones((2, 3)), np.ones(3)),
            InvalidType,
            ("dropout_add: residual", "float64 (2, 3)", "float64 (3,)"),
        ),
        "another dtype": (
            (np.ones(3, "f4"), np.ones(3)),
            InvalidType,
            ("dropout_add: residual", "float32 (3,)", "float64 (3,)"),
        ),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.standard_normal((3, 4)).astype(dtype) for _ in range(2))

    def call(self, x, residual):
        return dropout_add(x, residual, 0.0)

    def reference(self, x, residual):
        return x + residual

    def empty_inputs(self, dtype):
        return np.zeros((0, 4), dtype), np.zeros((0, 4), dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("shape", [(), (5,), (3, 5001)])  # kernels serve the last
@pytest.mark.parametrize("double", [False, True])
def test_dropout_and_a_sum_bit_for_bit(dtype, shape, double):
    rng = np.random.default_rng(0)
    arrays = [np.asarray(rng.standard_normal(shape), dtype) for _ in range(3)]
    for array in arrays[:2]:
        array.reshape(-1)[:3] = -0.0

    def run(function):
        random.seed(1)
        x, residual, gy = map(Variable, arrays)
        y = function(x, residual)
        gradients = grad([y], [x, residual], [gy], enable_double_backprop=double)
        if double:
            gradients = [*gradients, *grad([gradients[0]], [gy], [residual])]
        return [v.array for v in (y, *gradients)], random.generator(get_backend("numpy")).random(3).tolist()

    found, after = run(lambda x, residual: dropout_add(x, residual, 0.3))
    right, right_after = run(lambda x, residual: residual + dropout(x, 0.3))
    assert after == right_after
    for a, b in zip(found, right, strict=True):
        assert a.dtype == b.dtype == dtype
        assert a.tobytes() == b.tobytes()


def test_testing_adds():
    x, residual = np.array([1.0, 2.0]), np.array([0.5, -1.0])
    with using_config("train", False):
        assert dropout_add(x, residual, 0.9).array.tolist() == [1.5, 1.0]


def test_gradients_of_both_do_not_share_memory():
    x, residual = Variable(np.ones(5000)), Variable(np.ones(5000))
    y = dropout_add(x, residual, 0.0)
    y.grad = np.ones(5000)
    y.backward()
    x.grad += 1
    assert (residual.grad == 1).all()


@pytest.mark.parametrize("ratio", [-0.1, 1.0, float("nan")])
def test_bad_ratio(ratio):
    for train in (True, False):
        with using_config("train", train), pytest.raises(ValueError, match=f"dropout_add: ratio is {ratio}"):
            dropout_add(np.ones(2), np.ones(2), ratio)
