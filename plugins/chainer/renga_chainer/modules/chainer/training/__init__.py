"""``chainer.training``: where a program can see a difference from Chainer's, Chainer's.

- `trainer`: `Trainer`. `extension`: `make_extension`. `triggers`, `updaters`, `extensions`: the parts.
- `trigger`, `updater`, `util`: other places of the same names.
"""

from renga_chainer.modules.chainer.training.extension import make_extension
from renga_chainer.modules.chainer.training.trainer import Trainer
from renga_chainer.modules.chainer.training.triggers import IntervalTrigger, get_trigger
from renga_chainer.modules.chainer.training.updaters import ParallelUpdater, StandardUpdater

__all__ = ["IntervalTrigger", "ParallelUpdater", "StandardUpdater", "Trainer", "get_trigger", "make_extension"]
