"""Maxout, SimplifiedDropconnect, Bilinear, Highway."""

import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_nn.functions import tanh
from renga_nn.links import Bilinear, Highway, Maxout, SimplifiedDropconnect
from renga_testing.link_suite import LinkSuite


class OfRows(LinkSuite):
    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((5, 3)).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


class TestMaxout(OfRows):
    cases = {
        "sizes given": {"arguments": (3, 2, 4)},
        "size of the first input": {"arguments": (None, 2, 4)},
        "without bias": {"arguments": (3, 2, 4, None, None)},
    }
    bad_inputs = {"features": ((np.ones((2, 4)),), InvalidType, ("linear", "(2, 4)"))}

    def make_link(self):
        return Maxout(*self.arguments)

    def call(self, link, x):
        return Maxout(3, 2, 4)(x) if x.shape[1] == 4 else link(x)

    def reference(self, params, x):
        W = params["linear/W"].reshape(2, 4, 3)
        b = params.get("linear/b", np.zeros(8)).reshape(2, 4)
        return (np.einsum("ijk,nk->nij", W, x) + b).max(axis=2)


def test_maxout_takes_arrays_in_the_shape_of_the_formula():
    W, b = np.arange(12.0).reshape(2, 3, 2), np.arange(6.0).reshape(2, 3)
    link = Maxout(2, 2, 3, W, b)
    np.testing.assert_allclose(to_host(link(np.array([[1, 0.5]]))), [(W @ [1, 0.5] + b).max(axis=1)])


class TestSimplifiedDropconnect(OfRows):
    cases = {
        "sizes given": {"arguments": (3, 2, 0.25), "batchwise": True},
        "size of the first input": {"arguments": (None, 2, 0.25), "batchwise": False},
        "without bias": {"arguments": (3, 2, 0.25, True), "batchwise": True},
    }
    bad_inputs = {"features": ((np.ones((2, 4)),), InvalidType, ("simplified_dropconnect", "W", "(2, 4)", "(2, 3)"))}

    def mask(self, n):
        shape = (n, 2, 3) if self.batchwise else (2, 3)
        return (np.arange(np.prod(shape)) % 3 > 0).reshape(shape)

    def make_link(self):
        return SimplifiedDropconnect(*self.arguments)

    def call(self, link, x):
        return link(x, mask=x.device.send(self.mask(len(x))), use_batchwise_mask=self.batchwise)

    def reference(self, params, x):
        masks = np.broadcast_to(self.mask(len(x)), (len(x), 2, 3))
        return np.einsum("nij,nj->ni", params["W"] * masks / 0.75, x) + params.get("b", 0)


def test_dropconnect_drops_in_training_only():
    link = SimplifiedDropconnect(30, 1, initialW=1)
    x = np.eye(30)
    assert set(to_host(link(x)).ravel().tolist()) == {0, 2}
    assert (to_host(link(x, train=False)) == 1).all()
    with using_config("train", False):
        assert (to_host(link(x)) == 1).all()


class TestBilinear(LinkSuite):
    cases = {
        "sizes given": {"arguments": (3, 4, 2)},
        "sizes of the first inputs": {"arguments": (None, None, 2)},
        "product only": {"arguments": (3, 4, 2, True)},
    }
    bad_inputs = {"features": ((np.ones((2, 4)), np.ones((2, 4))), InvalidType, ("bilinear", "W", "(4, 4, L)"))}

    def make_link(self):
        return Bilinear(*self.arguments)

    def make_inputs(self, rng, dtype):
        return rng.standard_normal((5, 3)).astype(dtype), rng.standard_normal((5, 4)).astype(dtype)

    def reference(self, params, e1, e2):
        y = np.einsum("nj,nk,jkl->nl", e1, e2, params["W"])
        return y + e1 @ params["V1"] + e2 @ params["V2"] + params["b"] if "b" in params else y

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 4), dtype)


def test_bilinear_initial_values():
    V1, V2 = np.ones((2, 2)), np.full((3, 2), 2)
    link = Bilinear(2, 3, 2, initialW=np.zeros((2, 3, 2)), initial_bias=(V1, V2, 5))
    assert to_host(link(np.ones((1, 2)), np.ones((1, 3)))).tolist() == [[13, 13]]
    with pytest.raises(ValueError, match="initial_bias is 0; it must be a tuple for V1, V2 and b"):
        Bilinear(2, 3, 2, initial_bias=0)


@pytest.mark.parametrize(
    ("initialW", "initial_bias", "name"),
    [
        (np.zeros((1, 1, 4)), None, "W"),
        (np.zeros((3, 2, 4)), None, "W"),
        (None, (np.zeros((1, 4)), None, 0), "V1"),
        (None, (None, np.zeros(4), 0), "V2"),
        (None, (None, None, np.zeros(1)), "b"),
    ],
)
def test_bilinear_refuses_arrays_of_other_shapes(initialW, initial_bias, name):
    with pytest.raises(ValueError, match=f"the initial {name} has shape"):
        Bilinear(2, 3, 4, initialW=initialW, initial_bias=initial_bias)
    link = Bilinear(None, None, 4, initialW=initialW, initial_bias=initial_bias)
    with pytest.raises(ValueError, match=f"the initial {name} has shape"):
        link(np.ones((1, 2), "f"), np.ones((1, 3), "f"))
    assert not any(param.is_initialized for param in link.params())


class TestHighway(OfRows):
    cases = {
        "default": {"options": {}},
        "without bias": {"options": {"nobias": True}},
        "tanh": {"options": {"activate": tanh, "init_Wh": "glorot_uniform", "init_bt": -2}},
    }
    bad_inputs = {"features": ((np.ones((2, 4)),), InvalidType, ("linear", "(2, 4)"))}

    def make_link(self):
        return Highway(3, **self.options)

    def reference(self, params, x):
        h = x @ params["plain/W"].T + params.get("plain/b", 0)
        h = np.tanh(h) if "activate" in self.options else np.maximum(h, 0)
        gate = 1 / (1 + np.exp(-x @ params["transform/W"].T - params.get("transform/b", 0)))
        return gate * h + (1 - gate) * x


def test_the_gate_of_a_highway_is_nearly_closed_at_first():
    assert to_host(Highway(2).transform.b).tolist() == [-1, -1]
