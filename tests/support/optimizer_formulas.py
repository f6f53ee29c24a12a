"""Updates of optimizers in float64, by their formulas: references for kernels of several plugins."""

import numpy as np

__all__ = ["adam", "corrected_momentum_sgd", "momentum_sgd", "nesterov_ag", "rmsprop", "sgd"]


def sgd(w, grads):
    return w - 0.05 * sum(grads)


def momentum_sgd(w, grads):
    v = 0
    for g in grads:
        v = 0.8 * v - 0.05 * g
        w = w + v
    return w


def corrected_momentum_sgd(w, grads):
    v = 0
    for g in grads:
        v = 0.8 * v - g
        w = w + 0.05 * v
    return w


def nesterov_ag(w, grads):
    """The iterate of momentum, and the point ahead of it where gradients are taken."""
    v = 0
    for g in grads:
        v = 0.8 * v - 0.05 * g
        w = w + v
    return w + 0.8 * v


def rmsprop(w, grads):
    ms = 0
    for g in grads:
        ms = 0.9 * ms + 0.1 * g * g
        w = w - 0.05 * g / (np.sqrt(ms) + 1e-8)
    return w


def adam(w, grads, keep=1.0):
    """With decay, each update multiplies the parameter by `keep`."""
    m = v = 0
    for t, g in enumerate(grads, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = keep * w - 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
    return w
