import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.functions.connection import rotary_embedding
from renga_testing.function_suite import FunctionSuite


def turned(x, offset, base):
    """Pairs of features as complex numbers."""
    half = x.shape[-1] // 2
    angles = (offset + np.arange(x.shape[-2]))[:, None] * base ** (-np.arange(half) / half)
    y = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)
    return np.concatenate([y.real, y.imag], axis=-1)


class TestRotaryEmbedding(FunctionSuite):
    cases = {
        "heads": {"shape": (2, 3, 4, 6)},
        "from a cache": {"shape": (3, 4), "offset": 70},
        "another base": {"shape": (3, 8), "offset": 1, "base": 50.0},
    }
    offset, base = 0, 10000.0
    bad_inputs = {
        "odd": ((np.ones((2, 3)),), InvalidType, ["rotary_embedding: x", "even", "(2, 3)"]),
        "a vector": ((np.ones(4),), InvalidType, ["rotary_embedding: x", "(..., T, D)"]),
        "integers": ((np.ones((2, 4), int),), InvalidType, ["rotary_embedding: x", "floating"]),
    }
    tolerances = {"float16": 5e-3, "float32": 2e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=self.shape).astype(dtype),)

    def call(self, x):
        return rotary_embedding(x, self.offset, self.base)

    def reference(self, x):
        return turned(x, self.offset, self.base)

    def empty_inputs(self, dtype):
        return (np.ones((0, *self.shape[1:]), dtype),)


def test_products_depend_on_distances_only():
    query, key = np.random.default_rng(0).normal(size=(2, 1, 8))
    products = [
        (rotary_embedding(query, offset + 3).array * rotary_embedding(key, offset).array).sum() for offset in (0, 90)
    ]
    assert products[0] == pytest.approx(products[1], abs=1e-12)


def test_a_position_below_zero():
    with pytest.raises(ValueError, match="offset is -1; it must be at least 0"):
        rotary_embedding(np.ones((2, 4)), -1)
