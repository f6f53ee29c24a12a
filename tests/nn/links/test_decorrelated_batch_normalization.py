import numpy as np
import pytest

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_nn.links import DecorrelatedBatchNormalization
from renga_testing.link_suite import LinkSuite


def whitened(x, groups, eps):
    rows = np.moveaxis(x, 1, 0).reshape(groups, x.shape[1] // groups, -1)
    rows = rows - rows.mean(2, keepdims=True)
    y = []
    for group in rows:
        values, vectors = np.linalg.eigh(group @ group.T / group.shape[1] + eps * np.eye(len(group)))
        y.append(vectors @ np.diag(values**-0.5) @ vectors.T @ group)
    return np.moveaxis(np.stack(y).reshape(x.shape[1], x.shape[0], *x.shape[2:]), 0, 1)


class TestDecorrelatedBatchNormalization(LinkSuite):
    cases = {
        "vectors": {"options": {"groups": 2}, "groups": 2, "shape": (9, 4)},
        "images": {"options": {"groups": None, "group_size": 4}, "groups": 1, "shape": (3, 4, 3, 2)},
    }
    bad_inputs = {
        "channels": ((np.ones((5, 3)),), ValueError, ("decorrelated_batch_normalization", "groups=2", "(5, 3)"))
    }
    tolerances = {"float16": 3e-2, "float32": 1e-4, "float64": 1e-10}

    def make_link(self):
        return DecorrelatedBatchNormalization(4, eps=0.05, **self.options)

    def make_inputs(self, rng, dtype):
        return (rng.normal(1, 2, self.shape).astype(dtype),)

    def reference(self, params, x):
        return whitened(x, self.groups, 0.05)


class TestDecorrelatedBatchNormalizationInTesting(TestDecorrelatedBatchNormalization):
    subjects = ("decorrelated_batch_normalization",)
    bad_inputs = {}

    def make_link(self):
        link = super().make_link()
        link.avg_mean += 0.5
        link.avg_projection *= 3
        link.avg_projection += 0.25
        return link

    def call(self, link, x):
        with using_config("train", False):
            return link(x)

    def reference(self, params, x):
        size = 4 // self.groups
        rows = np.moveaxis(x - 0.5, 1, 0).reshape(self.groups, size, x.size // 4)
        y = (3 * np.eye(size) + 0.25) @ rows
        return np.moveaxis(y.reshape(4, x.shape[0], *x.shape[2:]), 0, 1)

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


def test_the_averages_of_one_distribution_whiten_it(device):
    rng, mix = np.random.default_rng(0), np.random.default_rng(1).normal(size=(4, 4))
    link = DecorrelatedBatchNormalization(4, groups=1, decay=0.5)
    for _ in range(20):
        link(device.send(rng.normal(size=(500, 4)) @ mix + 3))
    with using_config("train", False):
        y = to_host(link(device.send(rng.normal(size=(5000, 4)) @ mix + 3)))
    np.testing.assert_allclose(y.mean(0), 0, atol=0.1)
    np.testing.assert_allclose(np.cov(y, rowvar=False), np.eye(4), atol=0.2)


def test_finetuning_averages_all_batches_alike(device):
    link = DecorrelatedBatchNormalization(2, groups=1)
    xs = np.random.default_rng(0).normal(2, 3, (4, 16, 2))
    link(device.send(xs[0] + 100))
    link.start_finetuning()
    for x in xs:
        link(device.send(x), finetune=True)
    assert link.N == 4
    np.testing.assert_allclose(to_host(link.avg_mean), xs.mean((0, 1))[None])


def test_sixteen_groups_or_sixteen_channels_by_default():
    assert DecorrelatedBatchNormalization(32).avg_projection.shape == (16, 2, 2)
    assert DecorrelatedBatchNormalization(32, groups=None).avg_projection.shape == (2, 16, 16)


@pytest.mark.parametrize("options", [{"groups": 3}, {"groups": 0}, {"groups": 2, "group_size": 3}, {"groups": None}])
def test_channels_that_cannot_be_divided_so(options):
    with pytest.raises(ValueError, match=r"DecorrelatedBatchNormalization: .* do not make 4 channels"):
        DecorrelatedBatchNormalization(4, **options)
