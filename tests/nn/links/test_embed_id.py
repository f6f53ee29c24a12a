import numpy as np

from renga_core.backend import to_host
from renga_core.graph import InvalidType, as_variable
from renga_nn.links import EmbedID
from renga_testing.link_suite import LinkSuite


class TestEmbedID(LinkSuite):
    cases = {"all": {"ignored": None}, "one stands for nothing": {"ignored": 2}}
    bad_inputs = {"not integers": ((np.ones(2),), InvalidType, ("embed_id", "float64"))}

    def make_link(self):
        return EmbedID(5, 3, ignore_label=self.ignored)

    def make_inputs(self, rng, dtype):
        return (np.array([[0, 4, 2], [2, 0, 1]]),)

    def reference(self, params, ids):
        return params["W"][ids] * (ids != self.ignored)[..., None]

    def empty_inputs(self, dtype):
        return (np.zeros((2, 0), np.int32),)


def test_embedding(device):
    link = EmbedID(5, 3, ignore_label=-1)
    y = link(device.send(np.array([[0, 4], [-1, 0]])))
    assert y.shape == (2, 2, 3)
    np.testing.assert_array_equal(to_host(y)[0, 1], to_host(link.W)[4])
    assert not to_host(y)[1, 0].any()
    y.sum().backward()
    np.testing.assert_array_equal(to_host(link.W.grad)[:, 0], [2, 0, 0, 0, 1])


def test_integers_as_input_may_be_a_variable(device):
    link = EmbedID.from_params(device.send(np.arange(6.0).reshape(3, 2)))
    assert to_host(link(as_variable(device.send(np.array([2]))))).tolist() == [[4, 5]]
