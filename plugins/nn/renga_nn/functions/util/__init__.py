"""Functions of functions.

- `forget`: computing again in backward what forward has not kept. `recomputation`: how parts of a graph are built
  again there.
"""

from renga_nn.functions.util.forget import forget

__all__ = [
    "forget",
]
