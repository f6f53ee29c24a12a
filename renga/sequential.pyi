# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_core.link import Sequential as Sequential

__all__ = [
    "Sequential",
]
