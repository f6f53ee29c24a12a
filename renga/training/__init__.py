"""Training: the loop, what is called during it, and when.

- `Trainer` runs a loop: an updater (`updaters`) makes each step, extensions (`extensions`) do the rest when their
  triggers (`triggers`) say so.
- To write an extension: derive from `Extension`, or put `make_extension` above a function of the trainer.
"""

from renga.training import extensions, triggers, updaters
from renga_core.training import (
    PRIORITY_EDITOR,
    PRIORITY_READER,
    PRIORITY_WRITER,
    Extension,
    Updater,
    make_extension,
)
from renga_training import Trainer
from renga_training.triggers import IntervalTrigger, get_trigger
from renga_training.updaters import ParallelUpdater, StandardUpdater

__all__ = [
    "PRIORITY_EDITOR",
    "PRIORITY_READER",
    "PRIORITY_WRITER",
    "Extension",
    "IntervalTrigger",
    "ParallelUpdater",
    "StandardUpdater",
    "Trainer",
    "Updater",
    "extensions",
    "get_trigger",
    "make_extension",
    "triggers",
    "updaters",
]
