"""The models: ready-made networks that `renga train` can be told to train by name."""

from renga_core.plugin import Provider

__all__ = ["MODELS"]

MODELS: list[Provider] = []
