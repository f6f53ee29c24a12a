"""A trainer with a mock updater, for tests of extensions and triggers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from unittest import mock

from renga_training.trainer import Trainer

if TYPE_CHECKING:
    from renga_core.training import Extension

__all__ = ["get_trainer_with_mock_updater"]


def get_trainer_with_mock_updater(
    stop_trigger: Any = (10, "iteration"), iter_per_epoch: int = 10, extensions: Iterable[Extension] | None = None
) -> Trainer:
    """A trainer with a `unittest.mock.Mock` as its updater, which only counts iterations and epochs.

    Args:
        stop_trigger: When to stop.
        iter_per_epoch: Iterations per epoch.
        extensions: Extensions to add.

    Returns:
        Trainer: The trainer; its ``updater.update_core`` is called once for each iteration.

    >>> trainer = get_trainer_with_mock_updater((2, "epoch"), iter_per_epoch=3)
    >>> for _ in range(4):
    ...     trainer.updater.update()
    >>> trainer.updater.iteration, trainer.updater.epoch, trainer.updater.is_new_epoch
    (4, 1, False)
    """
    updater = mock.Mock()
    updater.get_all_optimizers.return_value = {}
    updater.iteration = updater.epoch = 0
    updater.epoch_detail = updater.previous_epoch_detail = 0.0
    updater.is_new_epoch = False

    def update() -> None:
        updater.update_core()
        updater.iteration += 1
        updater.previous_epoch_detail = updater.epoch_detail
        updater.epoch_detail = updater.iteration / iter_per_epoch
        epoch = updater.iteration // iter_per_epoch
        updater.is_new_epoch = epoch != updater.epoch
        updater.epoch = epoch

    updater.update = update
    return Trainer(updater, stop_trigger, extensions=extensions)
