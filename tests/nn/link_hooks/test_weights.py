"""SpectralNormalization, WeightStandardization."""

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable
from renga_nn.functions import forget
from renga_nn.link_hooks import SpectralNormalization, WeightStandardization
from renga_nn.links import Convolution2D, Deconvolution2D, Linear
from renga_testing.link_suite import LinkSuite


@pytest.fixture(autouse=True)
def seeded():
    random.seed(0)
    with using_config("dtype", np.dtype("f8")):
        yield


def step(matrix, u):
    v = u @ matrix
    v /= np.linalg.norm(v) + 1e-6
    u = v @ matrix.T
    return u / (np.linalg.norm(u) + 1e-6)


class OfLinear(LinkSuite):
    cases = {"sizes given": {"in_size": 3, "options": {}}, "size of the first input": {"in_size": None, "options": {}}}

    def make_link(self):
        return Linear(self.in_size, 4).add_hook(self.hook(**self.options))

    def make_inputs(self, rng, dtype):
        return (rng.standard_normal((5, 3)).astype(dtype),)

    def reference(self, params, x):
        return x @ self.weight(params).T + params["b"]


class TestSpectralNormalization(OfLinear):
    subjects = ()
    hook = SpectralNormalization
    cases = {
        **OfLinear.cases,
        "several iterations, gamma": {"in_size": 3, "options": {"n_power_iteration": 3, "use_gamma": True}},
        "factor, gamma, size of the first input": {"in_size": None, "options": {"factor": 2, "use_gamma": True}},
    }

    excluded = {
        "gradient": "the vector moves with W, which the paper neglects; the class below holds it",
        "double_gradient": "the vector moves with W, which the paper neglects; the class below holds it",
    }
    train = True

    def call(self, link, x):
        with using_config("train", self.train):
            return link(x)

    def weight(self, params):
        W, u = params["W"], params["W_u"]
        for _ in range(self.options.get("n_power_iteration", 1) if self.train else 0):
            u = step(W, u)
        return W / np.linalg.norm(u @ W) * self.options.get("factor", 1) * params.get("W_gamma", 1)


class TestSpectralNormalizationInTesting(TestSpectralNormalization):
    excluded = {}
    train = False


class TestWeightStandardization(OfLinear):
    subjects = ()
    hook = WeightStandardization

    def weight(self, params):
        W = params["W"]
        return (W - W.mean(axis=1, keepdims=True)) / np.sqrt(W.var(axis=1, keepdims=True) + 1e-5)


def weight_of(link, x):
    """The weight that a link computes with."""
    seen = []
    forward = link.forward
    link.forward = lambda x: (seen.append(link.W), forward(x))[1]
    link(x)
    del link.forward
    return to_host(seen[0])


X = np.ones((1, 3, 4, 4))


@pytest.mark.parametrize("link", [Convolution2D(3, 5, 2, initialW=0), Deconvolution2D(3, 5, 2, initialW=0)])
def test_the_largest_singular_value_becomes_1(link):
    link.W.array = np.random.default_rng(0).normal(size=link.W.shape)
    link.add_hook(SpectralNormalization(n_power_iteration=50))
    W = np.moveaxis(weight_of(link, X), 1 if isinstance(link, Deconvolution2D) else 0, 0)
    assert link.W_u.shape == (1, 5)
    assert np.linalg.svd(W.reshape(5, -1), compute_uv=False)[0] == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize("link", [Convolution2D(3, 5, 2, initialW=0), Deconvolution2D(3, 5, 2, initialW=0)])
def test_each_output_has_mean_0_and_variance_1(link):
    link.W.array = np.random.default_rng(0).normal(size=link.W.shape)
    link.add_hook(WeightStandardization(eps=0))
    W = np.moveaxis(weight_of(link, X), 1 if isinstance(link, Deconvolution2D) else 0, 0).reshape(5, -1)
    np.testing.assert_allclose(W.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(W.var(axis=1), 1)


def test_gamma_starts_as_the_singular_value():
    link = Linear(3, 4).add_hook(SpectralNormalization(use_gamma=True))
    assert link.W_gamma.item() == pytest.approx(np.linalg.norm(link.W.array, 2))
    assert {name for name, _ in link.namedparams()} == {"/W", "/b", "/W_gamma"}


def test_the_vector_moves_in_training_only():
    link = Linear(3, 4).add_hook(SpectralNormalization())
    x = np.ones((1, 3))
    first = link.W_u.copy()
    with using_config("train", False):
        link(x)
    np.testing.assert_array_equal(link.W_u, first)
    link(x)
    assert (link.W_u != first).any()


def test_forgotten_the_gradients_are_the_same():
    x = np.random.default_rng(0).normal(size=(2, 3))
    gradients = []
    for call in (lambda link, x: link(x), forget):
        random.seed(1)
        link = Linear(3, 4).add_hook(SpectralNormalization())
        call(link, Variable(x)).sum().backward()
        gradients.append((link.W.grad, link.W_u))
    np.testing.assert_allclose(gradients[1][0], gradients[0][0])
    np.testing.assert_array_equal(gradients[1][1], gradients[0][1])


@pytest.mark.parametrize("hooks", [[SpectralNormalization], [WeightStandardization, SpectralNormalization]])
def test_the_parameter_is_back_after_a_call_and_after_an_error(hooks):
    link = Linear(3, 4)
    W = link.W
    for hook in hooks:
        link.add_hook(hook())
    link(np.ones((1, 3)))
    assert link.W is W
    with pytest.raises(TypeError):
        link(np.ones((1, 2)))
    assert link.W is W
    assert isinstance(W, Parameter)


def test_deleted_it_leaves_nothing():
    link = Linear(3, 4).add_hook(SpectralNormalization(use_gamma=True))
    link.delete_hook("SpectralNormalization")
    assert {name for name, _ in link.namedparams()} == {"/W", "/b"}
    assert not hasattr(link, "W_u")


def test_what_cannot_be_hooked():
    with pytest.raises(ValueError, match="Linear has no parameter 'V'"):
        Linear(3, 4).add_hook(SpectralNormalization(weight_name="V"))
    with pytest.raises(TypeError, match="belongs to one link"), WeightStandardization():
        pass
    with pytest.raises(ValueError, match="n_power_iteration is 0"):
        SpectralNormalization(0)
