import numpy as np
import pytest

from renga_core import random
from renga_core.graph import InvalidType
from renga_nn.functions import gaussian
from renga_testing.function_suite import FunctionSuite

EPS = np.random.default_rng(0).standard_normal((3, 4))


class TestGaussian(FunctionSuite):
    bad_inputs = {
        "shapes": ((np.zeros(2), np.zeros(3)), InvalidType, ("gaussian", "ln_var", "(2,)", "(3,)")),
        "integers": ((np.arange(2), np.arange(2)), InvalidType, ("gaussian", "mean", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((3, 4)).astype(dtype), rng.standard_normal((3, 4)).astype(dtype)

    def call(self, mean, ln_var):
        return gaussian(mean, ln_var, eps=mean.device.send(EPS[: len(mean)].astype("f2").astype(mean.dtype)))

    def reference(self, mean, ln_var):
        return mean + np.sqrt(np.exp(ln_var)) * EPS[: len(mean)].astype("f2")

    def empty_inputs(self, dtype):
        return np.zeros((0, 4), dtype), np.zeros((0, 4), dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_moments(dtype):
    random.seed(0)
    y = gaussian(np.full(100_000, 3, dtype), np.full(100_000, np.log(4), dtype))
    assert y.dtype == dtype
    # Four standard errors of mean and standard deviation, and the rounding of half precision.
    assert y.array.astype("f8").mean() == pytest.approx(3, abs=0.03)
    assert y.array.astype("f8").std() == pytest.approx(2, abs=0.03)


def test_draws_can_be_used_again():
    mean = ln_var = np.zeros(5, "f4")
    y, eps = gaussian(mean, ln_var, return_eps=True)
    np.testing.assert_array_equal(gaussian(mean, ln_var, eps=eps).array, y.array)
    assert eps.dtype == "f4"


def test_bad_eps():
    with pytest.raises(InvalidType, match="gaussian: eps"):
        gaussian(np.zeros(2), np.zeros(2), eps=np.zeros(3))
