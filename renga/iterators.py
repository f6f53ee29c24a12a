"""Iterators: `renga_data.iterators`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.kinds import ITERATOR
from renga_data.iterators import *
from renga_data.iterators import __all__ as __all__

__getattr__ = registered(ITERATOR, __name__, __all__)
