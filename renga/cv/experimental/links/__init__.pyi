# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.experimental.links import model as model

__all__ = [
    "model",
]
