# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_cv.visualizations.colormap import voc_colormap as voc_colormap

__all__ = [
    "voc_colormap",
]
