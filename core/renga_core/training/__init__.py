"""Protocols of trainers, updaters, triggers and extensions. A plugin provides the usual ones (`renga_training`).

- `extension`: `Extension`, an action during training other than updates; the priorities.
- `trigger`: `Trigger`, which decides when to act.
- `updater`: `Updater`, which makes one step of the optimization.
- `trainer`: `TrainerLike`, the interface of the trainer for the other three.
"""

from renga_core.training.extension import PRIORITY_EDITOR, PRIORITY_READER, PRIORITY_WRITER, Extension
from renga_core.training.trainer import TrainerLike
from renga_core.training.trigger import Trigger, TriggerLike
from renga_core.training.updater import Updater

__all__ = [
    "PRIORITY_EDITOR",
    "PRIORITY_READER",
    "PRIORITY_WRITER",
    "Extension",
    "TrainerLike",
    "Trigger",
    "TriggerLike",
    "Updater",
]
