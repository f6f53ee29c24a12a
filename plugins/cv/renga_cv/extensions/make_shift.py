"""Set a hyperparameter from a function of the trainer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.training import Extension, TrainerLike
from renga_training.extensions.shifts import require_attribute

__all__ = ["make_shift"]


def make_shift(attr: str, optimizer: Any = None) -> Callable[[Callable[[Any], float]], Extension]:
    """Return a decorator that turns a function of the trainer into an extension, which sets an attribute to its result.

    The attribute is set before training starts, and by default after each iteration. The function should depend only on
    the trainer, for example on ``trainer.updater.iteration``: then a resumed run continues unchanged.

    Args:
        attr: Name of the optimizer's attribute, such as ``"lr"``.
        optimizer: The optimizer; the main one of the updater if None.

    Raises:
        AttributeError: From the extension, when training starts: the optimizer has no such attribute.

    Example:
        >>> @make_shift("lr")
        ... def warm_up(trainer):
        ...     return 0.1 * min(1.0, (trainer.updater.iteration + 1) / 500)
        >>> warm_up.default_name
        'warm_up'
    """

    def decorate(function: Callable[[Any], float]) -> Extension:
        return _FunctionShift(function, attr, optimizer)

    return decorate


class _FunctionShift(Extension):
    trigger = (1, "iteration")

    def __init__(self, function: Callable[[Any], float], attr: str, optimizer: Any) -> None:
        self._function = function
        self._attr = attr
        self._optimizer = optimizer

    @property
    def default_name(self) -> str:
        """The function's name."""
        return self._function.__name__

    def initialize(self, trainer: TrainerLike) -> None:
        """Set the value at the start of training, or after resuming."""
        require_attribute(self, self._target(trainer), self._attr)
        self(trainer)

    def __call__(self, trainer: TrainerLike) -> None:
        """Set the value."""
        setattr(self._target(trainer), self._attr, self._function(trainer))

    def _target(self, trainer: TrainerLike) -> Any:
        return trainer.updater.get_optimizer("main") if self._optimizer is None else self._optimizer
