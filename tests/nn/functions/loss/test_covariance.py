"""cross_covariance, decov."""

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions import cross_covariance, decov
from renga_testing.function_suite import FunctionSuite


def half_squared_sum(c):
    return (c**2).sum() / 2


class TestCrossCovariance(FunctionSuite):
    cases = {"half_squared_sum": {"options": {}}, "no": {"options": {"reduce": "no"}}}
    bad_inputs = {
        "rows": ((np.zeros((2, 3)), np.zeros((3, 3))), InvalidType, ("cross_covariance", "z", "(2, 3)", "(3, 3)")),
        "dtypes": ((np.zeros((2, 3)), np.zeros((2, 3), "f")), InvalidType, ("cross_covariance", "z", "float32")),
        "vector": ((np.zeros(2), np.zeros((2, 3))), InvalidType, ("cross_covariance", "y", "(N, K)", "(2,)")),
        "integers": ((np.zeros((2, 3), int), np.zeros((2, 3))), InvalidType, ("cross_covariance", "y", "floating")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((5, 3)).astype(dtype), rng.standard_normal((5, 2)).astype(dtype)

    def call(self, y, z):
        return cross_covariance(y, z, **self.options)

    def reference(self, y, z):
        c = np.cov(y, z, rowvar=False, bias=True)[:3, 3:] if len(y) else np.zeros((3, 2))
        return c if self.options else half_squared_sum(c)

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 2), dtype)


class TestDeCov(FunctionSuite):
    cases = {"half_squared_sum": {"options": {}}, "no": {"options": {"reduce": "no"}}}
    bad_inputs = {
        "vector": ((np.zeros(2),), InvalidType, ("decov", "h", "(N, K)", "(2,)")),
        "list": (([[1.0]],), InvalidType, ("decov", "h", "an array", "list")),
    }

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((5, 3)).astype(dtype),)

    def call(self, h):
        return decov(h, **self.options)

    def reference(self, h):
        c = np.cov(h, rowvar=False, bias=True) if len(h) else np.zeros((3, 3))
        c[range(3), range(3)] = 0
        return c if self.options else half_squared_sum(c)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


def test_words():
    with pytest.raises(ValueError, match="decov: reduce is 'mean'; choose from 'half_squared_sum', 'no'"):
        decov(np.zeros((2, 2)), "mean")
    with pytest.raises(ValueError, match="cross_covariance: reduce is 'mean'"):
        cross_covariance(np.zeros((2, 2)), np.zeros((2, 2)), "mean")
