import numpy as np

from renga_core.graph import InvalidType
from renga_nn.links import LayerNormalization
from renga_testing.link_suite import LinkSuite


class TestLayerNormalization(LinkSuite):
    cases = {"size given": {"size": 3}, "size of the first input": {"size": None}}
    bad_inputs = {"units": ((np.ones((2, 4)),), InvalidType, ("layer_normalization", "gamma", "(4,)", "(3,)"))}

    def make_link(self):
        return LayerNormalization(self.size, initial_gamma=2)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((4, 3)).astype(dtype),)

    def reference(self, params, x):
        y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        return y * params["gamma"] + params["beta"]

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)
