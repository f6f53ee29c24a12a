import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.configuration import config
from renga_core.graph import InvalidType
from renga_nn.links import Bias, Parameter, Scale
from renga_testing.link_suite import LinkSuite

INPUT = (2, 3, 4)


class TestParameter(LinkSuite):
    excluded = {
        "bad_input": "it takes no inputs",
        "empty": "it takes no inputs",
        "cleargrads": "the output is the parameter, whose gradient is the one that backward starts from",
    }

    def make_link(self):
        return Parameter(np.arange(3).astype(config.dtype))

    def make_inputs(self, rng, dtype):
        return ()

    def reference(self, params):
        return params["W"]


class TestBias(LinkSuite):
    cases = {"channels": {"axis": 1, "shape": (3,)}, "several axes": {"axis": 1, "shape": (3, 4)}}
    bad_inputs = {"another size": ((np.ones((2, 4, 4)),), ValueError, ("(3,)", "(2, 4, 4)"))}

    def make_link(self):
        return Bias(self.axis, self.shape)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(INPUT).astype(dtype),)

    def reference(self, params, x):
        return x + params["b"].reshape((*self.shape, *(1,) * (2 - len(self.shape))))

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3, 4), dtype),)


class TestBiasPassed(LinkSuite):
    subjects = ("bias",)

    def make_link(self):
        return Bias(1)

    def make_inputs(self, rng, dtype):
        return rng.standard_normal(INPUT).astype(dtype), rng.standard_normal(3).astype(dtype)

    def reference(self, params, x, b):
        return x + b[:, None]


class TestScale(LinkSuite):
    cases = {"with a bias": {"bias": True}, "without": {"bias": False}}
    bad_inputs = {"two arrays": ((np.ones(INPUT), np.ones(3)), InvalidType, ("Scale", "expected 1"))}

    def make_link(self):
        return Scale(1, 3, bias_term=self.bias)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(INPUT).astype(dtype),)

    def reference(self, params, x):
        y = x * params["W"][:, None]
        return y + params["bias/b"][:, None] if self.bias else y

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3, 4), dtype),)


def test_parameter(device):
    link = Parameter(device.send(np.arange(3.0)))
    assert link() is link.W
    assert [name for name, _ in link.namedparams()] == ["/W"]


def test_scale_passed(device):
    x = device.send(np.ones((2, 3)))
    assert to_host(Scale(0)(x, device.send(np.array([5.0, 6.0])))).tolist() == [[5] * 3, [6] * 3]
    biased = Scale(1, bias_term=True, bias_shape=3)
    assert to_host(biased(x, device.send(np.zeros(3)))).tolist() == [[0] * 3] * 2


def test_arguments_that_are_missing_or_too_many(device):
    x = device.send(np.ones((2, 3)))
    with pytest.raises(InvalidType, match="Bias: number of arguments: expected 2, because b is not trained, got 1"):
        Bias(1)(x)
    with pytest.raises(InvalidType, match="Scale: number of arguments: expected 1, because W is trained, got 2"):
        Scale(1, 3)(x, device.send(np.ones(3)))
    with pytest.raises(ValueError, match="bias_term=True needs W_shape or bias_shape"):
        Scale(1, bias_term=True)


def test_shapes_that_do_not_fit(device):
    with pytest.raises(ValueError, match=r"fits the axes from 1 on of x: \w+ \(2, 4\), got \w+ \(3,\)"):
        Bias(1, 3)(device.send(np.ones((2, 4))))
