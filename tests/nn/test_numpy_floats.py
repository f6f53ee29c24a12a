"""A NumPy number as a parameter is as weak as Python's: results and gradients keep the dtype of the arrays.

They come of ``np.random.uniform()``, ``np.sqrt(2 / n)``, ``np.linspace(...)[i]``. The numbers here are exact in every
dtype, so that results must be the same, but for what NumPy computes of them in half precision.
"""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
import renga.optimizers as O

KINDS = {"float64": np.float64, "float32": np.float32, "float16": np.float16, "no_axes": np.array}
LABELS = np.array([0, 1, 2], np.int32)
ROIS = np.array([[0, 0, 4, 4]], np.float32)
FIRST = np.array([0], np.int32)


def array(*shape):
    return np.random.RandomState(0).uniform(0.1, 0.9, shape).astype(np.float32)


X, X4 = array(3, 4), array(2, 4, 6, 6)
ONES = {4: np.ones(4, np.float32)}


def running():
    return {"running_mean": np.zeros(4, np.float32), "running_var": np.ones(4, np.float32)}


LABELS = np.zeros((2, 6, 6), np.int32)
FUNCTIONS = {
    "batch_normalization": (
        lambda x, e, d: F.batch_normalization(x, ONES[4], ONES[4], eps=e, decay=d, **running()),
        X,
        0.125,
        0.75,
    ),
    "batch_renormalization": (
        lambda x, r, d, e, k: F.batch_renormalization(x, ONES[4], ONES[4], r, d, e, **running(), decay=k),
        X,
        2.0,
        4.0,
        0.125,
        0.75,
    ),
    "clip": (F.clip, X, 0.25, 0.5),
    "clip_below": (lambda x, a: F.clip(x, a, None), X, 0.25),
    "clipped_relu": (F.clipped_relu, X, 0.5),
    "contrastive": (lambda x, m: F.contrastive(x, x + x, np.array([0, 1, 0], np.int32), m), X, 2.0),
    "decorrelated": (lambda x, e: F.decorrelated_batch_normalization(x, groups=2, eps=e), array(8, 4), 0.125),
    "discriminative": (
        lambda x, v, d: F.discriminative_margin_based_clustering_loss(
            x, np.zeros((2, 6, 6), np.int32), v, d, x.shape[1]
        )[0],
        X4,
        0.25,
        1.5,
    ),
    "dropout": (lambda x, r: F.dropout(x, r, mask=np.full((3, 4), 2, np.float32)), X, 0.5),
    "elu": (F.elu, X - 0.5, 0.75),
    "group_normalization": (lambda x, e: F.group_normalization(x, 2, ONES[4], ONES[4], e), X4, 0.125),
    "huber_loss": (lambda x, d: F.huber_loss(x, x * 3, d), X, 0.5),
    "huber_loss_no": (lambda x, d: F.huber_loss(x, x * 3, d, reduce="no"), X, 0.5),
    "layer_normalization": (lambda x, e: F.layer_normalization(x, ONES[4], ONES[4], e), X, 0.125),
    "leaky_relu": (F.leaky_relu, X - 0.5, 0.25),
    "local_response_normalization": (
        lambda x, k, a, b: F.local_response_normalization(x, 3, k, a, b),
        X4,
        2.0,
        0.5,
        0.75,
    ),
    "normalize": (F.normalize, X, 0.125),
    "pad": (lambda x, c: F.pad(x, 1, "constant", constant_values=c), X, 0.5),
    "pad_sequence": (lambda x, c: F.pad_sequence([x, x[:2]], padding=c), X, 0.5),
    "roi_average_align_2d": (lambda x, s: F.roi_average_align_2d(x, ROIS, FIRST, 2, s, 2), X4, 0.5),
    "roi_max_align_2d": (lambda x, s: F.roi_max_align_2d(x, ROIS, FIRST, 2, s, 2), X4, 0.5),
    "roi_max_pooling_2d": (lambda x, s: F.roi_max_pooling_2d(x, ROIS, FIRST, 2, s), X4, 0.5),
    "selu": (F.selu, X - 0.5, 1.5, 1.25),
    "softplus": (F.softplus, X, 2.0),
    "triplet": (lambda x, m: F.triplet(x, x * 2, x * 3, m), X, 0.5),
}

LINKS = {
    "BatchNormalization": (lambda d, e: L.BatchNormalization(4, decay=d, eps=e), X, 0.75, 0.125),
    "BatchRenormalization": (lambda r, m, d, e: L.BatchRenormalization(4, r, m, d, e), X, 2.0, 4.0, 0.75, 0.125),
    "Convolution2D": (lambda c: L.Convolution2D(4, 2, 3, initialW=c, initial_bias=c), X4, 0.5),
    "GroupNormalization": (lambda e: L.GroupNormalization(2, 4, e), X4, 0.125),
    "LSTM": (lambda c: L.LSTM(4, 2, forget_bias_init=c), X, 0.5),
    "LayerNormalization": (lambda e: L.LayerNormalization(4, e), X, 0.125),
    "Linear": (lambda c, b: L.Linear(4, 2, initialW=c, initial_bias=b), X, 0.5, 0.25),
    "Linear_initializer": (lambda s: L.Linear(4, 2, initialW=renga.initializers.HeNormal(s)), X, 2.0),
    "PReLU": (lambda c: L.PReLU((4,), c), X, 0.5),
    "Swish": (lambda c: L.Swish((4,), c), X, 0.5),
}

OPTIMIZERS = {
    "AdaDelta": (O.AdaDelta, 0.75, 0.125),
    "AdaGrad": (O.AdaGrad, 0.5, 0.125),
    "Adam": (O.Adam, 0.5, 0.75, 0.5, 0.125, 0.5, 0.25),
    "AdamW": (O.AdamW, 0.5, 0.75, 0.5, 0.125, 0.5, 0.25),
    "AMSBound": (O.AMSBound, 0.5, 0.75, 0.5, 0.125, 0.25, 0.125),
    "CorrectedMomentumSGD": (O.CorrectedMomentumSGD, 0.5, 0.75),
    "MSVAG": (O.MSVAG, 0.5, 0.75, 0.5, 0.25),
    "MomentumSGD": (O.MomentumSGD, 0.5, 0.75),
    "NesterovAG": (O.NesterovAG, 0.5, 0.75),
    "RMSprop": (O.RMSprop, 0.5, 0.75, 0.125),
    "RMSpropGraves": (O.RMSpropGraves, 0.5, 0.75, 0.5, 0.125),
    "SGD": (O.SGD, 0.5),
    "SMORMS3": (O.SMORMS3, 0.5, 0.125),
}
HOOKS = ("GradientClipping", "GradientHardClipping", "GradientNoise", "Lasso", "WeightDecay")


def assert_same(one, other, kind):
    assert one.dtype == other.dtype == np.float32
    np.testing.assert_allclose(one, other, rtol=2e-3 if kind == "float16" else 1e-4, atol=1e-6)


def value_and_gradient(function, x, args):
    x = renga.Variable(x)
    y = function(x, *args)
    F.sum(y * y).backward()
    return y.array, x.grad


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, kind):
    function, x, *args = FUNCTIONS[name]
    expected = value_and_gradient(function, x, args)
    for one, other in zip(expected, value_and_gradient(function, x, [KINDS[kind](a) for a in args]), strict=True):
        assert_same(one, other, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LINKS)
def test_links(name, kind):
    make, x, *args = LINKS[name]

    def run(args):
        renga.random.seed(0)
        link = make(*args)
        y, gx = value_and_gradient(link, x, ())
        return [y, gx, *[p.array for p in link.params()], *[p.grad for p in link.params() if p.grad is not None]]

    for one, other in zip(run(args), run([KINDS[kind](a) for a in args]), strict=True):
        assert_same(one, other, kind)


def trained(optimizer, hooks=()):
    model = L.Linear(4, 2, initialW=0.5)
    optimizer.setup(model)
    for hook in hooks:
        optimizer.add_hook(hook)
    renga.random.seed(0)
    for _ in range(3):
        model.cleargrads()
        F.sum(model(X) ** 2).backward()
        optimizer.update()
    return [p.array for p in model.params()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name, kind):
    make, *args = OPTIMIZERS[name]
    for one, other in zip(trained(make(*args)), trained(make(*[KINDS[kind](a) for a in args])), strict=True):
        assert_same(one, other, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_learning_rates_set_later(kind):
    optimizer = O.MomentumSGD()
    optimizer.lr = KINDS[kind](0.5)
    for one, other in zip(trained(O.MomentumSGD(0.5)), trained(optimizer), strict=True):
        assert_same(one, other, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HOOKS)
def test_hooks_of_optimizers(name, kind):
    make = getattr(renga.optimizer_hooks, name)
    args = (-0.125, 0.125) if name == "GradientHardClipping" else (0.125,)
    expected = trained(O.SGD(0.5), [make(*args)])
    for one, other in zip(expected, trained(O.SGD(0.5), [make(*[KINDS[kind](a) for a in args])]), strict=True):
        assert_same(one, other, kind)
