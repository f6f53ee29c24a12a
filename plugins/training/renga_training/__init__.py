"""Training: the training loop and its parts.

    updater = StandardUpdater(iterator, optimizer)
    trainer = Trainer(updater, (20, "epoch"))
    trainer.extend(extensions.LogReport())
    trainer.run()

- `trainer`: `Trainer`, the loop. `interrupt`: makes Ctrl-C end it between two iterations.
- `updaters`: `StandardUpdater`, `ParallelUpdater`: one step of the optimization.
- `triggers`: when to call an extension.
- `make_extension`: makes an extension from a function of the trainer.
- `extensions`: evaluation, logging, plots, snapshots, learning-rate schedules.
- `snapshots`: finding, loading, writing and removing snapshot files.
- `plugin`: the providers of this package.

The base classes for your own parts are in `renga_core.training`. A hand-written loop needs none of this.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_training import extensions, snapshots, triggers, updaters
    from renga_training.trainer import Trainer
    from renga_training.triggers import IntervalTrigger, get_trigger
    from renga_training.updaters import ParallelUpdater, StandardUpdater

__all__ = [
    "IntervalTrigger",
    "ParallelUpdater",
    "StandardUpdater",
    "Trainer",
    "extensions",
    "get_trigger",
    "snapshots",
    "triggers",
    "updaters",
]

_MODULES = {
    "IntervalTrigger": "triggers",
    "ParallelUpdater": "updaters",
    "StandardUpdater": "updaters",
    "Trainer": "trainer",
    "get_trigger": "triggers",
}


def __getattr__(name: str) -> Any:
    """Import names at their first use, so that listing what `plugin` offers stays cheap."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULES.get(name, name)}")
    return getattr(module, name) if name in _MODULES else module
