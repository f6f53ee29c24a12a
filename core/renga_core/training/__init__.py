"""What a trainer, its updater, triggers and extensions are. The ones to use are in a plugin (`renga_training`).

- `extension`: `Extension`, which does something during training besides updating; the priorities.
- `trigger`: `Trigger`, which says whether now is the time.
- `updater`: `Updater`, which makes one step of the optimization.
- `trainer`: `TrainerLike`, what those three may ask of the trainer that runs them.
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
