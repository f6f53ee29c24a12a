# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga.cv.visualizations import colormap as colormap

__all__ = [
    "colormap",
]
