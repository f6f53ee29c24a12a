"""Helpers that are neither functions nor links.

- `walker_alias`: `WalkerAlias`, samples from a discrete distribution in constant time.
"""

from renga_nn.utils.walker_alias import WalkerAlias

__all__ = ["WalkerAlias"]
