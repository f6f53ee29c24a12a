"""Updates of parameters with BLAS, beyond what the kit of kernels tries."""

import numpy as np
import pytest

from renga_backend_numpy.kernels import optimizer_updates
from renga_backend_numpy.kernels.optimizer_updates import AdamUpdate, MomentumSGDUpdate, RMSpropUpdate, SGDUpdate
from renga_backend_numpy.kernels.optimizer_updates import supports_adam as supports

NUMBERS = 0.9, 0.999, 1e-8, 1e-3, 0.99

needs_openblas = pytest.mark.skipif(optimizer_updates._saxpby() is None, reason="NumPy's BLAS is not OpenBLAS")


SHAPES = pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((1 << 13, 2), "C"),
        ((optimizer_updates._PIECE,), "C"),
        ((optimizer_updates._PIECE + 1,), "C"),
        ((3, 257, 401), "F"),
    ],
)


def state(*shape, order="C"):
    rng = np.random.default_rng(0)
    param, grad, m, v = [np.asarray(rng.normal(size=shape).astype(np.float32), order=order) for _ in range(4)]
    return param, grad, m, abs(v)


@needs_openblas
@SHAPES
def test_adam(shape, order):
    param, grad, m, v = state(*shape, order=order)
    theta, g, mean, square = [x.astype(np.float64) for x in (param, grad, m, v)]
    beta1, beta2, eps, rate, keep = NUMBERS
    assert supports(param, grad, m, v, *NUMBERS)
    for _ in range(2):
        AdamUpdate.forward([param], [grad], [m], [v], *NUMBERS)
        mean = beta1 * mean + (1 - beta1) * g
        square = beta2 * square + (1 - beta2) * g * g
        theta = keep * theta - rate * mean / (np.sqrt(square) + eps)
    for got, right in ((param, theta), (m, mean), (v, square)):
        np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(grad, state(*shape, order=order)[1])


@needs_openblas
@SHAPES
def test_others(shape, order):
    param, grad, _, v = state(*shape, order=order)
    theta, g, square = [x.astype(np.float64) for x in (param, grad, v)]

    def agree(got, right):
        np.testing.assert_allclose(got, right, rtol=1e-5, atol=1e-5)

    plain, velocity = param.copy(order="K"), v.copy(order="K")
    SGDUpdate.forward([plain], [grad], 0.3)
    agree(plain, theta - 0.3 * g)
    plain = param.copy(order="K")
    MomentumSGDUpdate.forward([plain], [grad], [velocity], 0.9, 0.3)
    agree(velocity, 0.9 * square - 0.3 * g)
    agree(plain, theta + 0.9 * square - 0.3 * g)
    RMSpropUpdate.forward([param], [grad], [v], 0.9, 1e-3, 0.3)
    square = 0.9 * square + 0.1 * g * g
    agree(v, square)
    agree(param, theta - 0.3 * g / (np.sqrt(square) + 1e-3))


@needs_openblas
def test_what_it_leaves_to_the_reference():
    arrays = state(100, 200)
    assert supports(*arrays, *NUMBERS)
    assert not supports(*[x[:40] for x in arrays], *NUMBERS)  # small
    assert not supports(*[x[:, ::2] for x in arrays], *NUMBERS)  # with gaps
    assert not supports(*[x.astype(np.float64) for x in arrays], *NUMBERS)
    assert not supports(arrays[0], np.asarray(arrays[1], order="F"), *arrays[2:], *NUMBERS)
    assert not supports(arrays[0], arrays[1][:1], *arrays[2:], *NUMBERS)


def test_without_openblas(monkeypatch):
    monkeypatch.setattr(optimizer_updates, "_saxpby", lambda: None)
    assert not supports(*state(100, 200), *NUMBERS)
