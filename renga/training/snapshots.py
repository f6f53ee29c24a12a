"""Which snapshots are kept, and where they are: `renga_training.snapshots`."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
