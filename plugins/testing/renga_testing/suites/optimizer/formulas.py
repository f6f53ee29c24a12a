"""Formulas of well-known optimizers from their papers, in float64: optimizers with these names must follow them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["FORMULAS"]

Host = np.ndarray[Any, Any]


def _sgd(w: Host, gradients: list[Host], h: Any) -> Host:
    for g in gradients:
        w = w - h.lr * g
    return w


def _momentum_sgd(w: Host, gradients: list[Host], h: Any) -> Host:
    v = np.zeros_like(w)
    for g in gradients:
        v = h.momentum * v - h.lr * g
        w = w + v
    return w


def _nesterov_ag(w: Host, gradients: list[Host], h: Any) -> Host:
    """Sutskever et al. 2013; the parameter is the look-ahead point, where the gradient is computed."""
    v = np.zeros_like(w)
    for g in gradients:
        v = h.momentum * v - h.lr * g
        w = w + h.momentum * v - h.lr * g
    return w


def _adagrad(w: Host, gradients: list[Host], h: Any) -> Host:
    """Duchi et al. 2011."""
    total = np.zeros_like(w)
    for g in gradients:
        total = total + g**2
        w = w - h.lr * g / (np.sqrt(total) + h.eps)
    return w


def _adadelta(w: Host, gradients: list[Host], h: Any) -> Host:
    """Zeiler 2012."""
    square, moved = np.zeros_like(w), np.zeros_like(w)
    for g in gradients:
        square = h.rho * square + (1 - h.rho) * g**2
        step = np.sqrt((moved + h.eps) / (square + h.eps)) * g
        moved = h.rho * moved + (1 - h.rho) * step**2
        w = w - step
    return w


def _rmsprop(w: Host, gradients: list[Host], h: Any) -> Host:
    """Tieleman and Hinton 2012."""
    square = np.zeros_like(w)
    inside = getattr(h, "eps_inside_sqrt", False)
    for g in gradients:
        square = h.alpha * square + (1 - h.alpha) * g**2
        w = w - h.lr * g / (np.sqrt(square + h.eps) if inside else np.sqrt(square) + h.eps)
    return w


def _adam(w: Host, gradients: list[Host], h: Any, largest: bool = False) -> Host:
    """Kingma and Ba 2015, with the bias correction of both moments; eps is added to √v.

    With decoupled weight decay (Loshchilov and Hutter 2019), if there is any.
    """
    m, v, top = np.zeros_like(w), np.zeros_like(w), np.zeros_like(w)
    for t, g in enumerate(gradients, 1):
        m = h.beta1 * m + (1 - h.beta1) * g
        v = h.beta2 * v + (1 - h.beta2) * g**2
        top = np.maximum(top, v) if largest else v
        rate = h.alpha * np.sqrt(1 - h.beta2**t) / (1 - h.beta1**t)
        w = w - getattr(h, "eta", 1.0) * (rate * m / (np.sqrt(top) + h.eps) + getattr(h, "weight_decay_rate", 0.0) * w)
    return w


def _amsgrad(w: Host, gradients: list[Host], h: Any) -> Host:
    """Reddi et al. 2018."""
    return _adam(w, gradients, h, largest=True)


FORMULAS: dict[str, Callable[[Host, list[Host], Any], Host]] = {
    "sgd": _sgd,
    "momentum_sgd": _momentum_sgd,
    "nesterov_ag": _nesterov_ag,
    "adagrad": _adagrad,
    "adadelta": _adadelta,
    "rmsprop": _rmsprop,
    "adam": _adam,
    "adamw": _adam,
    "amsgrad": _amsgrad,
}
"""By name: called with the parameter, its gradients, and the hyperparameters as attributes."""
