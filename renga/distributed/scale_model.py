"""Predicting the time of an iteration on more devices: `renga_distributed.scale_model`."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
