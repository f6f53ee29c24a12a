"""``chainer.training``: behaves as Chainer's wherever programs can see a difference.

- `trainer`: `Trainer`. `extension`: `make_extension`. `triggers`, `updaters`, `extensions`: the parts.
- `trigger`, `updater`, `util`: other modules with the same names.
"""

from renga_chainer.modules.chainer.training.extension import make_extension
from renga_chainer.modules.chainer.training.trainer import Trainer
from renga_chainer.modules.chainer.training.triggers import IntervalTrigger, get_trigger
from renga_chainer.modules.chainer.training.updaters import ParallelUpdater, StandardUpdater

__all__ = ["IntervalTrigger", "ParallelUpdater", "StandardUpdater", "Trainer", "get_trigger", "make_extension"]
