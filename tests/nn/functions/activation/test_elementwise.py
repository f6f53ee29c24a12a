"""Activation functions that work element by element; references from SciPy or straight from the definition."""

import numpy as np
import pytest
import scipy.special

from renga_core.graph import InvalidType, Parameter
from renga_nn.functions import (
    clipped_relu,
    elu,
    gelu,
    hard_sigmoid,
    leaky_relu,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softplus,
    swish,
    tanh,
)
from renga_testing.function_suite import FunctionSuite


class Activation(FunctionSuite):
    bad_inputs = {"integers": ((np.arange(3),), InvalidType, ("a floating dtype", "int64 (3,)"))}

    def make_inputs(self, rng, dtype):
        # To both sides of 0, and not within numerical differentiation's reach of it.
        x = rng.uniform(0.1, 3, (4, 3)) * rng.choice([-1, 1], (4, 3))
        return (x.astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


class TestReLU(Activation):
    def call(self, x):
        return relu(x)

    def reference(self, x):
        return np.where(x > 0, x, 0)


class TestLeakyReLU(Activation):
    cases = {
        "default": {"args": (), "slope": 0.2},
        "0.5": {"args": (0.5,), "slope": 0.5},
        "-1": {"args": (-1,), "slope": -1},
    }

    def call(self, x):
        return leaky_relu(x, *self.args)

    def reference(self, x):
        return np.where(x > 0, x, x * self.slope)


class TestELU(Activation):
    cases = {"default": {"args": (), "alpha": 1}, "-0.5": {"args": (-0.5,), "alpha": -0.5}}

    def call(self, x):
        return elu(x, *self.args)

    def reference(self, x):
        return np.where(x > 0, x, self.alpha * (np.exp(x) - 1))


class TestSELU(Activation):
    def call(self, x):
        return selu(x)

    def reference(self, x):
        return 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1))


class TestSigmoid(Activation):
    def call(self, x):
        return sigmoid(x)

    def reference(self, x):
        return scipy.special.expit(x)


class TestTanh(Activation):
    def call(self, x):
        return tanh(x)

    def reference(self, x):
        return (np.exp(2 * x) - 1) / (np.exp(2 * x) + 1)


class TestSoftplus(Activation):
    cases = {"default": {"args": (), "beta": 1}, "3": {"args": (3,), "beta": 3}}

    def call(self, x):
        return softplus(x, *self.args)

    def reference(self, x):
        return np.log(1 + np.exp(self.beta * x)) / self.beta


class TestClippedReLU(Activation):
    cases = {"1.5": {"z": 1.5}, "2": {"z": 2}}

    def call(self, x):
        return clipped_relu(x, self.z)

    def reference(self, x):
        return np.minimum(np.maximum(x, 0), self.z)


class TestReLU6(Activation):
    def make_inputs(self, rng, dtype):
        return (np.array([-1, 2, 5.5, 6.5, 20], dtype),)

    def call(self, x):
        return relu6(x)

    def reference(self, x):
        return np.minimum(np.maximum(x, 0), 6)


class TestHardSigmoid(Activation):
    def make_inputs(self, rng, dtype):
        return (np.array([[-4, -2.6, -2.4], [0.3, 2.4, 2.6]], dtype),)

    def call(self, x):
        return hard_sigmoid(x)

    def reference(self, x):
        return np.minimum(np.maximum(x / 5 + 0.5, 0), 1)


class TestGELU(Activation):
    cases = {"by erf": {"approximate": False}, "by tanh": {"approximate": True}}

    def call(self, x):
        return gelu(x, self.approximate)

    def reference(self, x):
        if self.approximate:
            return x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))) / 2
        return x * scipy.special.ndtr(x)


class TestSiLU(Activation):
    def call(self, x):
        return silu(x)

    def reference(self, x):
        return x * scipy.special.expit(x)


class TestSwish(Activation):
    bad_inputs = {
        "integers": ((np.ones((2, 3), int), np.ones(3)), InvalidType, ("swish", "x", "floating")),
        "beta": ((np.ones((2, 3)), np.ones(2)), InvalidType, ("swish", "beta", "float64 (2, 3)", "(2,)")),
    }

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((4, 3)).astype(dtype), rng.standard_normal(3).astype(dtype)

    def call(self, x, beta):
        return swish(x, beta)

    def reference(self, x, beta):
        return x / (1 + np.exp(-beta * x))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.ones(3, dtype)


@pytest.mark.parametrize(
    "function", [relu, leaky_relu, elu, sigmoid, silu, gelu, tanh, softplus, hard_sigmoid], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_nothing_overflows_far_out(function, dtype):
    """Warnings are errors here: an overflow on the way would show even where the result is right."""
    y = function(np.array([-60000, -100, -0.0, 0.0, 100, 60000], dtype)).array
    assert y.dtype == dtype
    assert np.isfinite(y).all()


def test_sigmoid_keeps_relative_accuracy_far_to_the_left():
    x = np.linspace(-80, 0, 9, dtype="f4")
    np.testing.assert_allclose(sigmoid(x).array, scipy.special.expit(x.astype("f8")), rtol=1e-6)


@pytest.mark.parametrize(
    "function", [relu, leaky_relu, elu, sigmoid, silu, gelu, tanh, softplus, hard_sigmoid], ids=lambda f: f.__name__
)
def test_scalars_and_nan(function):
    assert function(np.array(0.5, "f4")).shape == ()
    assert np.isnan(function(np.array([np.nan])).array).all()


def test_bad_ceiling():
    with pytest.raises(ValueError, match="z is 0; it must be positive"):
        clipped_relu(np.zeros(2), 0)


@pytest.mark.parametrize("wrong", [1.0, [1.0, 2.0], "text"], ids=lambda wrong: type(wrong).__name__)
def test_what_is_no_array(wrong):
    with pytest.raises(TypeError, match=f"relu: .*{type(wrong).__name__}"):
        relu(wrong)


def test_a_parameter_without_a_shape_yet():
    with pytest.raises(InvalidType) as raised:
        relu(Parameter())
    assert "shape is not known yet" in "".join(raised.value.__notes__)
