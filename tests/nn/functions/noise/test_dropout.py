import numpy as np
import pytest

from renga_core import random
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable
from renga_nn.functions import dropout
from renga_testing.function_suite import FunctionSuite

MASK = np.random.default_rng(0).choice([0, 2], (3, 4))


class TestDropout(FunctionSuite):
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ("dropout", "floating", "int64 (3,)"))}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((3, 4)).astype(dtype),)

    def call(self, x):
        mask = x.device.send(MASK.astype(x.dtype)) if x.shape == MASK.shape else None
        return dropout(x, mask=mask)

    def reference(self, x):
        return x * MASK if x.size else x

    def empty_inputs(self, dtype):
        return (np.zeros((0, 4), dtype),)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.9])
def test_drops_that_part_and_scales_the_rest(ratio, dtype):
    random.seed(0)
    y = dropout(np.ones(100_000, dtype), ratio).array
    assert y.dtype == dtype
    assert set(y.tolist()) <= {0.0, float(np.array(1, dtype) * np.array(1 / (1 - ratio), dtype))}
    # Four standard deviations of a binomial distribution.
    assert (y == 0).mean() == pytest.approx(ratio, abs=4 * np.sqrt(ratio * (1 - ratio) / 100_000) + 1e-12)


def test_testing_changes_nothing():
    x = Variable(np.ones(5))
    with using_config("train", False):
        assert dropout(x) is x
        y, mask = dropout(x, return_mask=True)
        assert y is x
        assert mask is None
        array = np.ones(3)
        assert dropout(array).array is array


def test_the_seed_decides():
    random.seed(3)
    first = dropout(np.ones(100)).array
    second = dropout(np.ones(100)).array
    random.seed(3)
    np.testing.assert_array_equal(dropout(np.ones(100)).array, first)
    assert (first != second).any()


def test_the_global_generator_is_left_alone():
    before = np.random.get_state()[1].copy()
    dropout(np.ones(10))
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def test_a_mask_can_be_used_again():
    x = np.random.default_rng(0).standard_normal((3, 4)).astype("f4")
    y, mask = dropout(x, 0.3, return_mask=True)
    np.testing.assert_array_equal(dropout(x, 0.3, mask=mask).array, y.array)
    assert dropout(x, 0.3, mask=mask, return_mask=True)[1] is mask


@pytest.mark.parametrize("ratio", [-0.1, 1.0, 2, float("nan")])
def test_bad_ratio(ratio):
    with pytest.raises(ValueError, match=f"ratio is {ratio}"):
        dropout(np.ones(2), ratio)


def test_bad_mask():
    with pytest.raises(InvalidType, match="dropout: mask"):
        dropout(np.ones((2, 3)), mask=np.ones(3))
    with pytest.raises(InvalidType, match="dropout: mask"):
        dropout(np.ones(3), mask=np.ones(3, "f4"))


def test_what_is_no_array():
    with pytest.raises(InvalidType, match="dropout: x: expected a Variable or an array of a floating dtype, got list"):
        dropout([1.0, 2.0])
