"""One step of the optimization: `StandardUpdater`. To write another, derive from `renga_core.training.Updater`."""

from renga_training.updaters.standard_updater import StandardUpdater

__all__ = ["StandardUpdater"]
