import numpy as np

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_nn.links import BatchRenormalization
from renga_testing.link_suite import LinkSuite


class TestBatchRenormalization(LinkSuite):
    """With averages so far off that the correction is at its limits, where no change of x changes it."""

    cases = {
        "sizes given": {"shape": (5, 3), "size": 3, "options": {}},
        "size of the first input": {"shape": (2, 3, 4), "size": None, "options": {}},
        "scale only": {"shape": (5, 3), "size": 3, "options": {"use_beta": False}},
        "shift only": {"shape": (5, 3), "size": 3, "options": {"use_gamma": False, "eps": 0.1}},
    }
    bad_inputs = {"channels": ((np.ones((5, 4)),), InvalidType, ("batch_renormalization", "4"))}
    tolerances = {**LinkSuite.tolerances, "float16": 2e-2}

    def make_link(self):
        return BatchRenormalization(self.size, 1.5, 0.5, initial_avg_mean=99, initial_avg_var=0.01, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def reference(self, params, x):
        axes, channels = (0, *range(2, x.ndim)), (1, 3, *(1,) * (x.ndim - 2))
        y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + self.options.get("eps", 2e-5))
        y = 1.5 * y - 0.5
        one, zero = np.ones(3), np.zeros(3)
        return y * params.get("gamma", one).reshape(channels) + params.get("beta", zero).reshape(channels)


class TestBatchRenormalizationInTesting(TestBatchRenormalization):
    subjects = ("batch_renormalization",)
    bad_inputs = {}

    def call(self, link, x):
        with using_config("train", False):
            return link(x)

    def reference(self, params, x):
        channels = (1, 3, *(1,) * (x.ndim - 2))
        mean, var, gamma, beta = (
            params.get(name, default).reshape(channels)
            for name, default in (("avg_mean", None), ("avg_var", None), ("gamma", np.ones(3)), ("beta", np.zeros(3)))
        )
        return (x - mean) / np.sqrt(var + self.options.get("eps", 2e-5)) * gamma + beta

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


def test_by_default_nothing_is_corrected_and_the_averages_move(device):
    link = BatchRenormalization(3, decay=0.75)
    x = np.random.default_rng(0).normal(2, 3, (16, 3))
    y = to_host(link(device.send(x)))
    np.testing.assert_allclose(y, (x - x.mean(0)) / np.sqrt(x.var(0) + 2e-5))
    np.testing.assert_allclose(to_host(link.avg_mean), 0.25 * x.mean(0))
    np.testing.assert_allclose(to_host(link.avg_var), 0.75 + 0.25 * x.var(0, ddof=1))


def test_within_the_limits_training_is_testing(device):
    link = BatchRenormalization(3, rmax=9, dmax=9)
    x = device.send(np.random.default_rng(0).normal(0.5, 1.2, (16, 3)))
    with using_config("train", False):
        right = to_host(link(x))
    np.testing.assert_allclose(to_host(link(x)), right)
    with using_config("train", False):
        assert abs(to_host(link(x)) - right).max() > 0.01


def test_finetuning_averages_all_batches_alike(device):
    link = BatchRenormalization(3)
    xs = np.random.default_rng(0).normal(2, 3, (4, 16, 3))
    for x in xs:
        link(device.send(x), finetune=True)
    assert link.N == 4
    np.testing.assert_allclose(to_host(link.avg_mean), xs.mean((0, 1)))
    np.testing.assert_allclose(to_host(link.avg_var), xs.var(1, ddof=1).mean(0))
