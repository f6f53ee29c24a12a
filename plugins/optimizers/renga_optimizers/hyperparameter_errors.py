"""Errors of constructors about hyperparameters that do not exist, and about values that are not numbers."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from functools import wraps
from typing import Any, TypeVar

from renga_core.errors import did_you_mean
from renga_core.optimizer import GradientMethod

__all__ = ["explains_hyperparameter_errors"]

_Optimizer = TypeVar("_Optimizer", bound=type[GradientMethod])

_HOOK = "optimizer.add_hook(renga.optimizer_hooks.WeightDecay(rate)), after setup"

_IN_RENGA = {
    "centered": "RMSpropGraves subtracts the mean.",
    "momentum": "MomentumSGD, NesterovAG and RMSpropGraves have a momentum.",
    "nesterov": "Use NesterovAG.",
    "params": "Attach the optimizer to a model: optimizer.setup(model).",
    "weight_decay": f"Add a hook: {_HOOK}.",
}
"""PyTorch's names that no name here is near to, and what to do."""


def explains_hyperparameter_errors(optimizer: _Optimizer) -> _Optimizer:
    """Decorate an optimizer: its constructor explains an unknown keyword, and refuses values that are not numbers.

    All hyperparameters of the class must be numbers or truth values.
    """
    written = optimizer.__init__
    names = tuple(inspect.signature(optimizer).parameters)

    @wraps(written)
    def __init__(self: Any, *args: Any, **given: Any) -> None:
        for name in given:
            if name not in names:
                raise TypeError(
                    f"{written.__qualname__}() got an unexpected keyword argument {name!r}.{_hint(names, name)}"
                    f" {optimizer.__name__} has: {', '.join(names)}"
                )
        for name, value in [*zip(names, args, strict=False), *given.items()]:
            if not hasattr(value, "__float__"):
                raise TypeError(
                    f"{written.__qualname__}(): {name} must be a number, not {type(value).__name__}. "
                    "Parameters are not passed here, but with optimizer.setup(model)"
                )
        written(self, *args, **given)

    optimizer.__init__ = __init__  # type: ignore[method-assign]  # that is what this is for
    return optimizer


def _hint(names: Collection[str], name: str) -> str:
    """What to pass or to do instead; "" if that is not known."""
    step = "lr" if "lr" in names else "alpha"
    if name in ("lr", "learning_rate") and step in names:
        return f" The learning rate is {step!r}."
    if name == "betas" and "beta1" in names:
        return " Pass beta1 and beta2."
    if name == "weight_decay" and "weight_decay_rate" in names:
        return (
            " What AdamW of PyTorch calls weight_decay is 'weight_decay_rate' here, which is not multiplied by "
            f"{step!r}: multiply it yourself. What Adam calls so is a hook: {_HOOK}."
        )
    return f" {_IN_RENGA[name]}" if name in _IN_RENGA else did_you_mean(name, names)
