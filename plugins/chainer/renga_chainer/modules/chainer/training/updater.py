"""``chainer.training.updater``."""

from renga_chainer.modules.chainer.training.updaters import ParallelUpdater, StandardUpdater
from renga_core.training import Updater

__all__ = ["ParallelUpdater", "StandardUpdater", "Updater"]
