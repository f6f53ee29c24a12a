"""Functions that call other functions.

- `forget`: recomputation in backward instead of keeping arrays. `recomputation`: how parts of a graph are rebuilt.
"""

from renga_nn.functions.util.forget import forget

__all__ = [
    "forget",
]
