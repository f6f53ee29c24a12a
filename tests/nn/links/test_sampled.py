import numpy as np
import pytest

from renga_core import random
from renga_core.backend import to_host
from renga_core.graph import InvalidType
from renga_nn.links import BlackOut, NegativeSampling
from renga_testing.link_suite import LinkSuite

COUNTS = [8, 1, 4, 2, 1]
LABELS = np.array([0, 3, -1, 4])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class SampledSuite(LinkSuite):
    bad_inputs = {
        "features": ((np.ones((4, 2)),), InvalidType, ("W", "(V, 2)", "(5, 3)")),
        "rows": ((np.ones((3, 3)),), InvalidType, ("t", "integers (3,)", "(4,)")),
    }

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=(4, 3)).astype(dtype),)

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)

    def labels(self, x):
        return LABELS if len(x) else LABELS[:0]

    def drawn(self, shape):
        """The classes that the link draws, after the seed that the suite sets before each call."""
        link = self.make_link()
        random.seed(1)
        return to_host(link.sampler.sample(shape))


class TestNegativeSampling(SampledSuite):
    cases = {"sum": {"reduce": "sum"}, "of each": {"reduce": "no"}}

    def make_link(self):
        return NegativeSampling(3, COUNTS, 2)

    def call(self, link, x):
        return link(x, link.device.send(self.labels(x)), self.reduce)

    def reference(self, params, x):
        drawn = self.drawn((len(x), 3))
        loss = np.zeros(len(x))
        for n, label in enumerate(self.labels(x)):
            if label >= 0:
                others = params["W"][drawn[n, 1:]]
                loss[n] = -np.log(sigmoid(params["W"][label] @ x[n])) - np.log(sigmoid(-others @ x[n])).sum()
        return loss if self.reduce == "no" else loss.sum()


class TestBlackOut(SampledSuite):
    def make_link(self):
        return BlackOut(3, COUNTS, 2)

    def call(self, link, x):
        return link(x, link.device.send(self.labels(x)))

    def reference(self, params, x):
        drawn = self.drawn((len(x), 2))
        loss = []
        for n, label in enumerate(self.labels(x)):
            if label >= 0:
                scores = np.exp(params["W"][[label, *drawn[n]]] @ x[n])
                p = scores / scores.sum()
                loss.append(-np.log(p[0]) - np.log(1 - p[1:]).sum())
        return np.sum(loss) / max(1, len(loss))


def test_frequent_classes_are_sampled_more_often():
    random.seed(0)
    sampler = NegativeSampling(3, [16, 1], 1, power=0.5).sampler
    assert abs(float((sampler.sample((10_000,)) == 0).mean()) - 0.8) < 0.02
    sampler = BlackOut(3, [16, 1], 1).sampler
    assert abs(float((sampler.sample((10_000,)) == 0).mean()) - 16 / 17) < 0.02


def test_weights_at_first():
    link = NegativeSampling(3, COUNTS, 2, dtype="f4")
    assert link.W.dtype == "f4"
    assert not link.W.array.any()
    assert BlackOut(3, COUNTS, 2).W.array.all()


@pytest.mark.parametrize("make", [NegativeSampling, BlackOut])
def test_counts_that_are_none(make):
    with pytest.raises(ValueError, match=f"{make.__name__}: counts must not be negative"):
        make(3, [1, -1], 2)


def test_a_shared_copy_goes_to_a_device_alone():
    link = BlackOut(3, COUNTS, 2)
    other = link.copy("share").to_device("numpy")
    assert other.sampler is not link.sampler
