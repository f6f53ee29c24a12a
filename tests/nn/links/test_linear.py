import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.links import Linear
from renga_testing.link_suite import LinkSuite


class TestLinear(LinkSuite):
    cases = {
        "sizes given": {"arguments": (3, 2), "nobias": False},
        "size of the first input": {"arguments": (2,), "nobias": False},
        "without bias": {"arguments": (None, 2), "nobias": True},
    }
    bad_inputs = {"features": ((np.ones((2, 4)),), InvalidType, ("linear", "(2, 4)"))}

    def make_link(self):
        return Linear(*self.arguments, nobias=self.nobias)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((5, 3)).astype(dtype),)

    def reference(self, params, x):
        return x @ params["W"].T + params.get("b", 0)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


class TestLinearOfSeveralAxes(TestLinear):
    subjects = ("linear",)
    bad_inputs = {}

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 4, 3)).astype(dtype),)

    def call(self, link, x):
        return link(x, n_batch_axes=2)

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0, 3), dtype),)


class TestLinearAndReLU(TestLinear):
    subjects = ("linear",)
    bad_inputs = {"features": ((np.ones((2, 4)),), InvalidType, ("linear_relu", "(2, 4)"))}

    def call(self, link, x):
        return link(x, relu=True)

    def reference(self, params, x):
        return np.maximum(super().reference(params, x), 0)


def test_default_initializers(device):
    link = Linear(10_000, 50)
    assert abs(to_host(link.W).std() - 0.01) < 1e-4
    assert not to_host(link.b).any()


def test_initializers_as_numbers_arrays_names_and_callables(device):
    link = Linear(2, 3, initialW=np.arange(6.0).reshape(3, 2), initial_bias=7)
    assert to_host(link.W).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert to_host(link.b).tolist() == [7, 7, 7]
    assert to_host(Linear(2, 2, initialW="identity").W).tolist() == [[1, 0], [0, 1]]


def test_axes_after_the_first_are_features(device):
    assert Linear(None, 2)(device.send(np.ones((4, 3, 5)))).shape == (4, 2)


def test_from_params(device):
    link = Linear.from_params(device.send(np.array([[1.0, 2.0]])), device.send(np.array([3.0])))
    assert to_host(link(device.send(np.array([[1.0, 1.0]])))).tolist() == [[6]]
    assert Linear.from_params(device.send(np.ones((1, 2))), nobias=True).b is None
    with pytest.raises(ValueError, match="is given, but nobias=True"):
        Linear.from_params(device.send(np.ones((1, 2))), device.send(np.ones(1)), nobias=True)


def test_no_size_at_all():
    with pytest.raises(TypeError, match=r"Linear\(n\) or Linear\(None, n\)"):
        Linear(None)
