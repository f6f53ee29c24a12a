"""Reporting further values: `observe_value`, `observe_lr`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.reporter import report
from renga_core.training import PRIORITY_WRITER, Extension
from renga_training.make_extension import make_extension

__all__ = ["observe_lr", "observe_value"]


def observe_value(observation_key: str, target_func: Callable[[Any], Any]) -> Extension:
    """Return an extension that reports a value, once an epoch.

    Args:
        observation_key: Name of the value.
        target_func: Called with the trainer; returns the value.
    """

    @make_extension(trigger=(1, "epoch"), default_name="observe_" + observation_key, priority=PRIORITY_WRITER)
    def observe(trainer: Any) -> None:
        report({observation_key: target_func(trainer)})

    return observe


def observe_lr(optimizer_name: str = "main", observation_key: str = "lr") -> Extension:
    """Return an extension that reports the learning rate, once an epoch.

    Args:
        optimizer_name: Name of the optimizer in the updater.
        observation_key: Name of the value.
    """
    return observe_value(observation_key, lambda trainer: trainer.updater.get_optimizer(optimizer_name).lr)
