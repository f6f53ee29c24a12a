"""Whole updates by oneDNN, against the formulas in float64."""

import numpy as np
import pytest
from optimizer_formulas import adam, corrected_momentum_sgd, momentum_sgd, nesterov_ag, rmsprop, sgd

from renga_core.graph import Parameter
from renga_core.kernel import operations
from renga_core.link import Link
from renga_core.settings import using
from renga_kernels_onednn import optimizer_updates
from renga_optimizers import SGD, Adam, AdamW, CorrectedMomentumSGD, MomentumSGD, NesterovAG, RMSprop
from renga_optimizers.hooks import WeightDecay

RNG = np.random.default_rng(0)


def trained(optimizer, start, grads, hook=None):
    """The parameter after an update by each gradient, and which kernels served."""
    link = Link()
    with link.init_scope():
        link.W = Parameter(start.copy("K"))
    optimizer.setup(link)
    if hook is not None:
        optimizer.add_hook(hook)
    for grad in grads:
        link.W.grad = grad.copy("K")
        optimizer.update()
    return link.W.array


CASES = {
    "corrected_momentum_sgd": (lambda: CorrectedMomentumSGD(0.05, 0.8), corrected_momentum_sgd),
    "nesterov_ag": (lambda: NesterovAG(0.05, 0.8), nesterov_ag),
    "rmsprop": (lambda: RMSprop(0.05, 0.9), rmsprop),
    "sgd": (lambda: SGD(0.05), sgd),
    "momentum_sgd": (lambda: MomentumSGD(0.05, 0.8), momentum_sgd),
    "adam": (lambda: Adam(0.01), adam),
    "adamw": (lambda: AdamW(0.01, weight_decay_rate=0.1), lambda w, grads: adam(w, grads, 0.9)),
}


@pytest.mark.parametrize("shape", [(8193,), (100, 100), (2, (1 << 17) + 3), (20, 30, 5, 5)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_twenty_updates(name, shape):
    make, formula = CASES[name]
    start, *grads = RNG.standard_normal((21, *shape)).astype(np.float32)
    right = formula(start.astype(np.float64), [g.astype(np.float64) for g in grads])
    operation = "adam" if name == "adamw" else name
    with using({f"kernels.{operation}_update": "onednn"}):
        got = trained(make(), start, grads)
    np.testing.assert_allclose(got, right, rtol=2e-5, atol=2e-5)
    assert got.dtype == np.float32


@pytest.mark.parametrize("name", CASES)
def test_with_and_without_are_the_same_where_a_hook_changes_gradients(name):
    start, *grads = RNG.standard_normal((6, 120, 90)).astype(np.float32)
    with_it = trained(CASES[name][0](), start, grads, WeightDecay(0.1))
    with using({"plugins.disable": ["numba", "onednn"]}):
        without = trained(CASES[name][0](), start, grads, WeightDecay(0.1))
    assert not np.array_equal(with_it, start)
    np.testing.assert_allclose(with_it, without, rtol=1e-5, atol=1e-6)


def test_a_gradient_that_lies_otherwise_is_not_taken_for_one_that_does_not():
    start, grad = RNG.standard_normal((2, 130, 110)).astype(np.float32)
    np.testing.assert_allclose(trained(SGD(0.5), start, [np.asfortranarray(grad)]), start - 0.5 * grad, atol=1e-6)


class TestSupports:
    X = np.ones((100, 100), np.float32)

    def test_arrays_in_one_order(self):
        assert optimizer_updates.supports_sgd(self.X, self.X, 0.1)
        assert optimizer_updates.supports_sgd(self.X.T, self.X.T, 0.1)
        images = np.ones((4, 50, 8, 9), np.float32).transpose(0, 3, 1, 2)
        assert optimizer_updates.supports_adam(images, images, images, images, 0.9, 0.99, 1e-8, 0.1, 1.0)

    @pytest.mark.parametrize(
        "grad",
        [
            X.T,
            X.astype(np.float64),
            X[:99],
            np.ones((200, 100), np.float32)[::2],
            X[::-1],
            np.broadcast_to(X[0], X.shape),
        ],
        ids=["transposed", "float64", "smaller", "gaps", "backwards", "broadcast"],
    )
    def test_not_others(self, grad):
        assert not optimizer_updates.supports_sgd(self.X, np.asarray(grad), 0.1) or grad.strides == self.X.strides
        assert (
            not optimizer_updates.supports_sgd(grad, grad, 0.1) or grad.flags.c_contiguous or grad.T.flags.c_contiguous
        )

    def test_not_few(self):
        assert not optimizer_updates.supports_sgd(self.X[:10], self.X[:10], 0.1)


def test_it_is_used():
    x = np.ones((100, 100), np.float32)
    from renga_core.backend import get_backend

    assert operations["sgd_update"].select(get_backend("numpy"), x, x, 0.1).name == "onednn:onednn_sgd_update"
