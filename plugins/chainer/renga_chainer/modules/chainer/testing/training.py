"""``chainer.testing.training``: a trainer with a mock updater."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from unittest import mock

from renga_chainer.modules.chainer.training.trainer import Trainer

__all__ = ["check_available", "get_error", "get_trainer_with_mock_updater", "is_available"]


def is_available() -> bool:
    """True: any Python object is accepted."""
    return True


def get_error() -> None:
    """Return None."""


def check_available() -> None:
    """Do nothing."""


def get_trainer_with_mock_updater(
    stop_trigger: Any = (10, "iteration"), iter_per_epoch: int = 10, extensions: Iterable[Any] | None = None
) -> Trainer:
    """Return a trainer with a `unittest.mock.Mock` as updater, which only counts iterations and epochs.

    Args:
        stop_trigger: When to stop.
        iter_per_epoch: Number of iterations per epoch.
        extensions: Initial extensions.
    """
    updater = mock.Mock()
    updater.get_all_optimizers.return_value = {}
    updater.iteration = updater.epoch = 0
    updater.epoch_detail, updater.previous_epoch_detail = 0, None
    updater.is_new_epoch = True

    def update() -> None:
        updater.update_core()
        updater.previous_epoch_detail = updater.iteration / iter_per_epoch
        before = updater.iteration // iter_per_epoch
        updater.iteration += 1
        updater.epoch = updater.iteration // iter_per_epoch
        updater.epoch_detail = updater.iteration / iter_per_epoch
        updater.is_new_epoch = before != updater.epoch

    updater.update = update
    return Trainer(updater, stop_trigger, extensions=extensions)
