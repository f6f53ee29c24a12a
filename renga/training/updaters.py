"""Updaters: `renga_training.updaters`."""

from renga_core.training import Updater
from renga_training.updaters import StandardUpdater

__all__ = ["StandardUpdater", "Updater"]
