# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.links import connection as connection
from renga.cv.links import model as model

__all__ = [
    "connection",
    "model",
]
