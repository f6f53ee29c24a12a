# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.visualizations.colormap import voc_colormap as voc_colormap

__all__ = [
    "voc_colormap",
]
