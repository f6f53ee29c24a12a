"""PReLU, Swish."""

import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.links import PReLU, Swish
from renga_testing.link_suite import LinkSuite


class OfImages(LinkSuite):
    def make_inputs(self, rng, dtype):
        x = rng.uniform(0.1, 2, (2, 3, 2, 2)) * rng.choice([-1, 1], (2, 3, 2, 2))
        return (x.astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3, 2, 2), dtype),)

    def aligned(self, parameter):
        return parameter.reshape(*parameter.shape, *[1] * (3 - parameter.ndim))


class TestPReLU(OfImages):
    cases = {"one": {"arguments": ()}, "channels": {"arguments": (3, 0.5)}, "units": {"arguments": ((3, 2, 2),)}}
    bad_inputs = {"channels": ((np.ones((2, 3)),), InvalidType, ("prelu", "W", "(2, 3)", "(2, 5)"))}

    def make_link(self):
        return PReLU(*self.arguments)

    def call(self, link, x):
        return PReLU((2, 5))(x) if x.ndim == 2 else link(x)

    def reference(self, params, x):
        return np.where(x >= 0, x, x * self.aligned(params["W"]))


class TestSwish(OfImages):
    cases = {
        "channels": {"arguments": (3, 0.5)},
        "one": {"arguments": ((),)},
        "units of the first input": {"arguments": (None,)},
    }
    bad_inputs = {"channels": ((np.ones((2, 4)),), InvalidType, ("swish", "beta", "(2, 4)", "(3,)"))}

    def make_link(self):
        return Swish(*self.arguments)

    def reference(self, params, x):
        return x / (1 + np.exp(-x * self.aligned(params["beta"])))


@pytest.mark.parametrize("link", [PReLU(2), Swish(2, 0.25)])
def test_values_at_first(link):
    (parameter,) = link.params()
    assert to_host(parameter).tolist() == [0.25, 0.25]


def test_swish_aligns_with_the_channels_even_where_it_could_broadcast():
    x = np.ones((2, 3, 3))
    link = Swish(3)
    link.beta.array[...] = [-50, 0, 50]
    assert to_host(link(x))[0].round(4).tolist() == [[0, 0, 0], [0.5, 0.5, 0.5], [1, 1, 1]]
