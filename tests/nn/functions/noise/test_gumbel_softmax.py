"""gumbel_softmax."""

import numpy as np
import pytest
import scipy.special

from renga_core import random
from renga_core.backend import get_device, to_host
from renga_core.graph import InvalidType
from renga_nn.functions import gumbel_softmax
from renga_testing.function_suite import FunctionSuite, ready_backends


def noise(shape):
    return np.linspace(-1, 2, int(np.prod(shape))).reshape(shape)


class TestGumbelSoftmax(FunctionSuite):
    cases = {"warm": {"tau": 1.5, "axis": 1}, "cool": {"tau": 0.5, "axis": 0}, "last": {"tau": 1, "axis": -1}}
    bad_inputs = {
        "integers": ((np.zeros((2, 3), int),), InvalidType, ("gumbel_softmax", "log_pi", "floating")),
        "axis": ((np.zeros(3),), ValueError, ("gumbel_softmax", "axis 1", "1 axes")),
        "list": (([[1.0]],), InvalidType, ("gumbel_softmax", "log_pi", "an array", "list")),
    }

    def make_inputs(self, rng, dtype):
        return (rng.uniform(-2, 0, (3, 4, 2)).astype(dtype),)

    def call(self, log_pi):
        sent = log_pi.device.send(noise(log_pi.shape).astype(log_pi.dtype)) if hasattr(log_pi, "device") else None
        return gumbel_softmax(log_pi, self.tau, self.axis, noise=sent)

    def reference(self, log_pi):
        # The noise is rounded to the dtype of the input; float16 is within tolerance.
        return scipy.special.softmax((log_pi + noise(log_pi.shape)) / self.tau, axis=self.axis)

    def empty_inputs(self, dtype):
        return (np.zeros((3, 0, 2) if self.axis == 0 else (0, 4, 2), dtype),)


@pytest.mark.parametrize("backend", ready_backends())
def test_choices_are_drawn_with_their_probabilities(backend):
    random.seed(0)
    pi = np.array([0.1, 0.2, 0.7], "f")
    log_pi = get_device(backend).send(np.tile(np.log(pi), (20_000, 1)))
    y = to_host(gumbel_softmax(log_pi, 0.1))
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.sum(axis=1), 1, rtol=1e-5)
    chosen = np.bincount(y.argmax(axis=1), minlength=3) / len(y)
    np.testing.assert_allclose(chosen, pi, atol=0.015)


def test_noise_that_does_not_fit():
    with pytest.raises(InvalidType, match=r"gumbel_softmax: noise: .*\(1, 2\), got float64 \(2, 1\)"):
        gumbel_softmax(np.zeros((1, 2)), noise=np.zeros((2, 1)))
    with pytest.raises(ValueError, match="tau is 0"):
        gumbel_softmax(np.zeros((1, 2)), 0)


def test_the_smallest_number_drawn_gives_finite_noise(monkeypatch):
    class Zeros:
        def random(self, shape, dtype):
            return np.zeros(shape, dtype)

    monkeypatch.setattr(random, "generator", lambda backend: Zeros())
    assert gumbel_softmax(np.zeros((1, 2), "f")).array.tolist() == [[0.5, 0.5]]
