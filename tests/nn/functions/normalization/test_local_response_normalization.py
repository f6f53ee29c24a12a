import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions.normalization import local_response_normalization
from renga_testing.function_suite import FunctionSuite


class TestLocalResponseNormalization(FunctionSuite):
    cases = {
        "defaults": {"shape": (2, 7, 2, 3), "arguments": {}},
        "even n": {"shape": (3, 5), "arguments": {"n": 2, "k": 1.5, "alpha": 0.5, "beta": 0.6}},
        "more than all": {"shape": (2, 3, 4), "arguments": {"n": 11, "alpha": 0.3}},
        "alone": {"shape": (2, 3, 2), "arguments": {"n": 1, "alpha": 0.3, "beta": 2}},
    }
    bad_inputs = {
        "a vector": ((np.ones(4),), InvalidType, ["local_response_normalization: x", "2 axes"]),
        "integers": ((np.ones((4, 3), int),), InvalidType, ["local_response_normalization: x", "floating"]),
        "a list": (([[1.0]],), InvalidType, ["local_response_normalization: x", "array"]),
    }
    tolerances = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        return (rng.normal(0, 2, self.shape).astype(dtype),)

    def call(self, x):
        return local_response_normalization(x, **self.arguments)

    def reference(self, x):
        given = {"n": 5, "k": 2, "alpha": 1e-4, "beta": 0.75, **self.arguments}
        y = np.empty_like(x)
        for i in range(x.shape[1]):
            seen = x[:, max(0, i - given["n"] // 2) : i + given["n"] // 2 + 1]
            y[:, i] = x[:, i] / (given["k"] + given["alpha"] * (seen**2).sum(1)) ** given["beta"]
        return y

    def empty_inputs(self, dtype):
        return (np.ones((0, *self.shape[1:]), dtype),)


def test_no_channels():
    assert local_response_normalization(np.ones((2, 0, 3))).shape == (2, 0, 3)


def test_no_channel_to_add():
    with pytest.raises(ValueError, match="local_response_normalization: n is 0; it must be at least 1"):
        local_response_normalization(np.ones((2, 3)), n=0)


@pytest.mark.torch
def test_agrees_with_pytorch():
    torch = pytest.importorskip("torch")
    x = np.random.default_rng(0).normal(size=(2, 6, 3, 3))
    y = local_response_normalization(x, 3, 1.5, 0.1, 0.7).array
    right = torch.nn.functional.local_response_norm(torch.tensor(x), 3, alpha=0.3, beta=0.7, k=1.5)
    np.testing.assert_allclose(y, right.numpy())
