"""Updaters: `renga_training.updaters`."""

from renga_core.training import Updater
from renga_training.updaters import *
from renga_training.updaters import __all__ as _all

__all__ = [*_all, "Updater"]
