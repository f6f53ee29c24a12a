# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_core.random import generator as generator
from renga_core.random import get_state as get_state
from renga_core.random import seed as seed
from renga_core.random import set_state as set_state

__all__ = [
    "generator",
    "get_state",
    "seed",
    "set_state",
]
