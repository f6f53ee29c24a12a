"""Functions that move elements about and compute nothing.

- From the core, where Variables have them as methods: `reshape`, `transpose`, `squeeze`, `broadcast_to`, `sum_to`,
  `get_item`. `cast`: another dtype.
- `axes`: `expand_dims`, `flatten`, `moveaxis`, `rollaxis`, `swapaxes`. `broadcast`: several arrays in one shape.
- `concat`: joining, and cutting with `split_axis`. `stack`: side by side along a new axis, and `separate`; also
  `hstack`, `vstack`, `dstack`.
- `where`: a choice, element by element. `select_item`: one element of each row. `pad`: a border.
- `copy`: to another device; `identity`.
"""

from renga_core.graph.operators import broadcast_to, get_item, reshape, squeeze, sum_to, transpose
from renga_nn.functions.array.axes import expand_dims, flatten, moveaxis, rollaxis, swapaxes
from renga_nn.functions.array.broadcast import broadcast
from renga_nn.functions.array.cast import cast
from renga_nn.functions.array.concat import concat, split_axis
from renga_nn.functions.array.copy import copy, identity
from renga_nn.functions.array.pad import pad
from renga_nn.functions.array.select_item import select_item
from renga_nn.functions.array.stack import dstack, hstack, separate, stack, vstack
from renga_nn.functions.array.where import where

__all__ = [
    "broadcast",
    "broadcast_to",
    "cast",
    "concat",
    "copy",
    "dstack",
    "expand_dims",
    "flatten",
    "get_item",
    "hstack",
    "identity",
    "moveaxis",
    "pad",
    "reshape",
    "rollaxis",
    "select_item",
    "separate",
    "split_axis",
    "squeeze",
    "stack",
    "sum_to",
    "swapaxes",
    "transpose",
    "vstack",
    "where",
]
