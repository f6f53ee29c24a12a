"""Functions of functions.

- `forget`: computing again in backward what forward has not kept.
"""

from renga_nn.functions.util.forget import forget

__all__ = [
    "forget",
]
