"""Updaters of `renga_training.updaters` and of other plugins, and their base class."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.training": "Updater",
    },
)
