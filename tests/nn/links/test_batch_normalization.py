import numpy as np
import pytest

import renga.functions as F
from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.graph import InvalidType
from renga_core.tracer import Tracer
from renga_nn.initializers import Normal
from renga_nn.links import BatchNormalization, BatchRenormalization
from renga_nn.links.batch_normalization import normalize_and_activate
from renga_serializers.npz import load_npz, save_npz
from renga_testing.link_suite import LinkSuite


class TestBatchNormalization(LinkSuite):
    cases = {
        "sizes given": {"shape": (5, 3), "options": {"size": 3}},
        "size of the first input": {"shape": (5, 3), "options": {}},
        "images": {"shape": (2, 3, 4, 5), "options": {"size": 3}},
        "images, channels last": {"shape": (2, 4, 5, 3), "options": {"axis": (0, 1, 2)}},
        "scale only": {"shape": (5, 3), "options": {"use_beta": False}},
        "shift only": {"shape": (5, 3), "options": {"use_gamma": False}},
    }
    bad_inputs = {"channels": ((np.ones((5, 4)),), InvalidType, ("batch_normalization", "4"))}
    tolerances = {**LinkSuite.tolerances, "float16": 1e-2}

    def make_link(self):
        return BatchNormalization(**self.options)

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal(self.shape).astype(dtype),)

    def reference(self, params, x):
        axes = self.options.get("axis", (0, *range(2, x.ndim)))
        y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 2e-5)
        return self.scaled(params, y)

    def scaled(self, params, y):
        channels = [1] * y.ndim
        channels[-1 if "axis" in self.options else 1] = 3
        one, zero = np.ones(3), np.zeros(3)
        return y * params.get("gamma", one).reshape(channels) + params.get("beta", zero).reshape(channels)


class TestBatchNormalizationInTesting(TestBatchNormalization):
    subjects = ("batch_normalization",)
    bad_inputs = {}

    def make_link(self):
        return BatchNormalization(initial_avg_mean=0.5, initial_avg_var=3, **self.options)

    def call(self, link, x):
        with using_config("train", False):
            return link(x)

    def reference(self, params, x):
        return self.scaled(params, (x - 0.5) / np.sqrt(3 + 2e-5))

    def empty_inputs(self, dtype):
        return (np.zeros((0, *self.shape[1:]), dtype),)


def batches(n):
    rng = np.random.default_rng(0)
    return [rng.normal(2, 3, size=(16, 3, 2)) for _ in range(n)]


def test_averages_are_used_in_testing(device):
    link = BatchNormalization(3, decay=0.5, eps=0)
    for x in batches(40):
        link(device.send(x))
    mean, var = np.array(to_host(link.avg_mean)), to_host(link.avg_var)
    with using_config("train", False):
        y = to_host(link(device.send(np.full((1, 3, 1), 5.0))))
    np.testing.assert_array_equal(to_host(link.avg_mean), mean)
    np.testing.assert_allclose(y.reshape(3), (5 - mean) / np.sqrt(var))
    np.testing.assert_allclose(y.reshape(3), 1, atol=0.3)


def test_finetuning_averages_all_batches_alike(device):
    link = BatchNormalization(3)
    xs = batches(5)
    link(device.send(xs[0] + 100))
    link.start_finetuning()
    for x in xs:
        link(device.send(x), finetune=True)
    assert link.N == 5
    np.testing.assert_allclose(to_host(link.avg_mean), np.mean([x.mean((0, 2)) for x in xs], axis=0))
    np.testing.assert_allclose(to_host(link.avg_var), np.mean([x.var((0, 2), ddof=1) for x in xs], axis=0))


def test_without_scale_and_shift(device):
    link = BatchNormalization(use_gamma=False, use_beta=False)
    y = to_host(link(device.send(batches(1)[0])))
    assert not list(link.params())
    np.testing.assert_allclose(y.mean((0, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(y.std((0, 2)), 1, atol=1e-4)


def test_initializers(device):
    link = BatchNormalization(2, initial_gamma=2, initial_beta=np.array([1, 3]), initial_avg_mean=4, initial_avg_var=5)
    assert to_host(link.gamma).tolist() == [2, 2]
    assert to_host(link.beta).tolist() == [1, 3]
    assert to_host(link.avg_mean).tolist() == [4, 4]
    assert to_host(link.avg_var).tolist() == [5, 5]


def test_dtype(device):
    shared = Normal(1)
    link = BatchNormalization(2, dtype="float32", initial_gamma=shared)
    assert {link.gamma.dtype, link.beta.dtype, link.avg_mean.dtype} == {np.dtype("float32")}
    assert shared.dtype is None


def test_dtype_in_half_precision():
    with using_config("dtype", np.dtype("float16")):
        link = BatchNormalization()
        assert link(np.ones((4, 2), np.float16)).dtype == np.float16
        assert link.gamma.dtype == link.avg_var.dtype == np.float32


@pytest.mark.parametrize("size", [3, None])
def test_averages_are_saved(device, tmp_path, size):
    link, other = BatchNormalization(3), BatchNormalization(size)
    link(device.send(batches(1)[0]), finetune=True)
    save_npz(tmp_path / "bn.npz", link)
    load_npz(tmp_path / "bn.npz", other)
    np.testing.assert_array_equal(to_host(other.avg_mean), to_host(link.avg_mean))
    np.testing.assert_array_equal(to_host(other.avg_var), to_host(link.avg_var))
    assert other.N == 1


def test_a_copy_keeps_averages_of_its_own(device):
    link = BatchNormalization(3)
    other = link.copy("copy")
    other(device.send(batches(1)[0]))
    assert not to_host(link.avg_mean).any()
    assert to_host(other.avg_mean).any()


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("with_residual", [False, True])
@pytest.mark.parametrize("cls", [BatchNormalization, BatchRenormalization])
def test_relu_and_residual(train, with_residual, cls):
    """As functions of their own, for a link that computes otherwise, too; with the same moving averages."""
    rng = np.random.default_rng(0)
    x, residual = rng.normal(1, 2, (2, 6, 3, 4, 5))
    added = residual if with_residual else None
    links = [cls(3, dtype=np.float64) for _ in range(3)]
    with using_config("train", train):
        got = links[0](x, relu=True, residual=added)
        expected = links[1](x) + (residual if with_residual else 0)
        activated = normalize_and_activate(links[2], x, residual=added)
        other = normalize_and_activate(links[2], x, F.tanh, added)
        assert normalize_and_activate(lambda x: x - 1, x, None, added).shape == x.shape
    np.testing.assert_allclose(got.array, np.maximum(expected.array, 0), atol=1e-12)
    np.testing.assert_array_equal(activated.array, got.array)
    assert (other.array < 0).any()
    assert train == (links[0].avg_mean != 0).all()
    np.testing.assert_array_equal(links[0].avg_var, links[1].avg_var)


def test_a_tracer_sees_three_functions_in_test_mode():
    """So that exporters can convert them, and fold batch normalization into a convolution."""

    class Names(Tracer):
        def __init__(self):
            self.names = []

        def apply(self, proceed, function, inputs):
            self.names.append(type(function).__name__)
            return proceed(function, inputs)

    x, link = np.ones((2, 3), np.float32), BatchNormalization(3)
    with using_config("train", False), Names() as seen:
        link(x, relu=True, residual=x)
    assert seen.names == ["FixedBatchNormalization", "Add", "ReLU"]
    with Names() as seen:
        link(x, relu=True, residual=x)
    assert seen.names == ["BatchNormalizationReLU"]
