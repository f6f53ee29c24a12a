import numpy as np

from renga_cv.links.connection.se_block import SEBlock
from renga_testing.link_suite import LinkSuite


class TestSEBlock(LinkSuite):
    def make_link(self):
        return SEBlock(4, ratio=2)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((2, 4, 3, 5)).astype(dtype),)

    def reference(self, params, u):
        hidden = np.maximum(u.mean((2, 3)) @ params["down/W"].T + params["down/b"], 0)
        scale = 1 / (1 + np.exp(-hidden @ params["up/W"].T - params["up/b"]))
        return u * scale[:, :, None, None]


def test_units_are_reduced_by_sixteen():
    assert SEBlock(64).down.W.shape == (4, 64)
