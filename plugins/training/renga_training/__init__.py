"""Training: the loop, and what happens in it.

    updater = StandardUpdater(iterator, optimizer)
    trainer = Trainer(updater, (20, "epoch"))
    trainer.extend(extensions.LogReport())
    trainer.run()

- `trainer`: `Trainer`, the loop. `interrupt`: how Ctrl-C ends it between two iterations.
- `updaters`: `StandardUpdater`, `ParallelUpdater`: one step of the optimization.
- `triggers`: when to do something.
- `make_extension`: a function of the trainer as an extension.
- `extensions`: evaluating, logging, plotting, saving and resuming, changing the learning rate.
- `snapshots`: the files of snapshots: which there are, which is loaded, which are kept.
- `plugin`: what this package offers to Renga.

The base classes to derive one's own from are in `renga_core.training`. A loop written by hand needs none of this.
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
    """Import what is used when it is first used: to look at what `plugin` offers must cost nothing."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULES.get(name, name)}")
    return getattr(module, name) if name in _MODULES else module
