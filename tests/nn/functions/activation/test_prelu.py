"""prelu, rrelu."""

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_device, to_host
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable, grad
from renga_nn.functions import prelu, rrelu
from renga_testing.function_suite import FunctionSuite, ready_backends


def beside_zero(rng, shape, dtype):
    """To both sides of 0, and not within numerical differentiation's reach of it."""
    return (rng.uniform(0.1, 3, shape) * rng.choice([-1, 1], shape)).astype(dtype)


class TestPReLU(FunctionSuite):
    cases = {"one slope": {"shape": ()}, "of each channel": {"shape": (3,)}, "of each element": {"shape": (3, 2)}}
    bad_inputs = {
        "shapes": ((np.zeros((4, 3, 2)), np.zeros(2)), InvalidType, ("prelu", "W", "(4, 3, 2)", "(2,)")),
        "dtypes": ((np.zeros((4, 3)), np.zeros(3, "f")), InvalidType, ("prelu", "W", "float64", "float32")),
        "integers": ((np.arange(3), np.zeros(())), InvalidType, ("prelu", "x", "a floating dtype", "int64 (3,)")),
        "list": ((np.zeros((2, 3)), [0.5, 0.5, 0.5]), InvalidType, ("prelu", "W", "an array", "list")),
    }

    def make_inputs(self, rng, dtype):
        return beside_zero(rng, (4, 3, 2), dtype), rng.uniform(-1, 1, self.shape).astype(dtype)

    def call(self, x, W):
        return prelu(x, W)

    def reference(self, x, W):
        return np.where(x >= 0, x, x * W.reshape(*W.shape, *[1] * (2 - W.ndim)))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3, 2), dtype), np.zeros(self.shape, dtype)


def test_the_gradient_at_zero_is_that_of_the_right_side():
    x = Variable(np.zeros(1))
    for double in (False, True):
        (gx,) = grad([prelu(x, np.array(0.25))], [x], enable_double_backprop=double)
        assert gx.array.tolist() == [1]


def slopes(shape):
    return (np.arange(np.prod(shape)) % 5 / 20 + 0.1).reshape(shape)


class TestRReLU(FunctionSuite):
    cases = {"train": {"train": True}, "test": {"train": False}}
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ("rrelu", "x", "a floating dtype", "int64 (3,)"))}

    def make_inputs(self, rng, dtype):
        return (beside_zero(rng, (4, 3), dtype),)

    def call(self, x):
        with using_config("train", self.train):
            return rrelu(x, 0.125, 0.25, r=x.device.send(slopes(x.shape).astype(x.dtype)))

    def reference(self, x):
        return np.where(x >= 0, x, x * (slopes(x.shape) if self.train else 0.1875))

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


def test_slopes_that_do_not_fit():
    with pytest.raises(InvalidType, match=r"rrelu: r: .*\(3,\), got float64 \(2,\)"):
        rrelu(np.zeros(3), r=np.zeros(2))


@pytest.mark.parametrize("backend", ready_backends())
def test_slopes_are_uniform_between_the_bounds(backend):
    random.seed(0)
    x = get_device(backend).send(np.full((100, 100), -1.0, "f"))
    y, r = rrelu(x, 0.2, 0.6, return_r=True)
    slopes = to_host(r)
    assert slopes.dtype == np.float32
    np.testing.assert_array_equal(to_host(y), -slopes)
    assert 0.2 <= slopes.min() < 0.201
    assert 0.599 < slopes.max() <= 0.6
    assert abs(slopes.mean() - 0.4) < 0.01
    assert abs(slopes.std() - 0.4 / 12**0.5) < 0.01
    np.testing.assert_array_equal(to_host(rrelu(x, r=r)), to_host(y))


def test_bounds():
    with pytest.raises(ValueError, match=r"l=0\.5 and u=0\.2"):
        rrelu(np.zeros(2), 0.5, 0.2)
