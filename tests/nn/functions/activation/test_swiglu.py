import numpy as np

from renga_core.graph import InvalidType
from renga_nn.functions.activation import swiglu
from renga_testing.function_suite import FunctionSuite


class TestSwiGLU(FunctionSuite):
    cases = {"matrix": {}}
    bad_inputs = {
        "shapes differ": ((np.ones((2, 3)), np.ones(3)), InvalidType, ["swiglu: x", "(2, 3)", "(3,)"]),
        "dtypes differ": ((np.ones(3), np.ones(3, np.float32)), InvalidType, ["swiglu: x", "float64", "float32"]),
        "integers": ((np.ones(3, int), np.ones(3, int)), InvalidType, ["swiglu: gate", "floating"]),
    }
    tolerances = {"float16": 5e-3, "float32": 2e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        return tuple(rng.normal(0, 2, size=(3, 5)).astype(dtype) for _ in range(2))

    def call(self, gate, x):
        return swiglu(gate, x)

    def reference(self, gate, x):
        return gate / (1 + np.exp(-gate)) * x

    def empty_inputs(self, dtype):
        return np.ones((0, 3), dtype), np.ones((0, 3), dtype)


def test_large_numbers_do_not_overflow():
    gate = np.array([-2000.0, -100.0, 100.0, 2000.0], np.float32)
    np.testing.assert_allclose(swiglu(gate, np.ones_like(gate)).array, [0, 0, 100, 2000], atol=1e-30)
