"""Which snapshots are kept, and where: `renga_training.snapshots`."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
