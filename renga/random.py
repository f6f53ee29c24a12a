"""Random numbers: `renga_core.random`."""

from renga_core.random import generator, get_state, seed, set_state

__all__ = ["generator", "get_state", "seed", "set_state"]
