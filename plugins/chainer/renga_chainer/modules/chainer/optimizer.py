"""``chainer.optimizer``: also has the hooks, which moved to `chainer.optimizer_hooks` in Chainer 4."""

from __future__ import annotations

import warnings
from typing import Any

from renga_core.optimizer import GradientMethod, Hyperparameter, HyperparameterProxy, Optimizer, UpdateRule
from renga_optimizers import hooks

__all__ = [
    "GradientClipping",
    "GradientHardClipping",
    "GradientMethod",
    "GradientNoise",
    "Hyperparameter",
    "HyperparameterProxy",
    "Lasso",
    "Optimizer",
    "UpdateRule",
    "WeightDecay",
    "make_deprecation_message",
]


def make_deprecation_message(module_name: str) -> str:
    """Return the message with the new place of a hook."""
    return f"chainer.optimizer.{module_name} is deprecated from v4. Use chainer.optimizer_hooks.{module_name} instead."


class _Moved:
    """Warns when created that its class has moved."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(make_deprecation_message(type(self).__name__), DeprecationWarning, stacklevel=2)
        super().__init__(*args, **kwargs)


class WeightDecay(_Moved, hooks.WeightDecay):
    """`chainer.optimizer_hooks.WeightDecay`."""


class Lasso(_Moved, hooks.Lasso):
    """`chainer.optimizer_hooks.Lasso`."""


class GradientClipping(_Moved, hooks.GradientClipping):
    """`chainer.optimizer_hooks.GradientClipping`."""


class GradientNoise(_Moved, hooks.GradientNoise):
    """`chainer.optimizer_hooks.GradientNoise`."""


class GradientHardClipping(_Moved, hooks.GradientHardClipping):
    """`chainer.optimizer_hooks.GradientHardClipping`."""
