import numpy as np

from renga_core.graph import InvalidType
from renga_nn.functions.normalization import rms_normalization
from renga_testing.function_suite import FunctionSuite


class TestRMSNormalization(FunctionSuite):
    cases = {"matrix": {"shape": (3, 5)}, "sequence": {"shape": (2, 3, 4)}}
    bad_inputs = {
        "gamma does not fit": (
            (np.ones((2, 3)), np.ones(2)),
            InvalidType,
            ["rms_normalization: gamma", "(3,)", "(2,)"],
        ),
        "no units": ((np.ones((2, 0)), np.ones(0)), InvalidType, ["rms_normalization: x", "units"]),
        "integers": ((np.ones((2, 3), int), np.ones(3)), InvalidType, ["rms_normalization: x", "floating"]),
    }
    tolerances = {"float16": 1e-2, "float32": 5e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        return tuple(rng.normal(1, 2, size=s).astype(dtype) for s in (self.shape, self.shape[-1]))

    def call(self, x, gamma):
        return rms_normalization(x, gamma, eps=1e-2)

    def reference(self, x, gamma):
        return gamma * x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-2)

    def empty_inputs(self, dtype):
        return np.ones((0, 3), dtype), np.ones(3, dtype)


def test_large_numbers_of_half_precision():
    """Their squares would be infinite."""
    x = np.full((1, 4), 300, np.float16)
    np.testing.assert_array_equal(rms_normalization(x, np.ones(4, np.float16)).array, np.ones((1, 4)))
