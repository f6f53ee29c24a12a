"""Functions that rearrange elements without arithmetic.

- From the core, also methods of Variables: `reshape`, `transpose`, `squeeze`, `broadcast_to`, `sum_to`, `get_item`.
  `cast`: another dtype.
- `axes`: `expand_dims`, `flatten`, `moveaxis`, `rollaxis`, `swapaxes`. `broadcast`: several arrays to one shape.
- `concat`: joining, and splitting with `split_axis`. `stack`: joining along a new axis, and `separate`; also `hstack`,
  `vstack`, `dstack`.
- `where`: elementwise selection. `select_item`: one element of each row. `pad`: a border.
- `flip` (`fliplr`, `flipud`), `permutate`: another order along an axis. `repeat`, `tile`: repeated elements.
- `diagonal`, `as_strided`: selected elements. `scatter_add`: adding at selected positions.
- `depth2space`, `space2depth`: channels to pixels and back.
- `pad_sequence`, `transpose_sequence`: sequences of different lengths. `sequences`: their common checks.
- `resize_images`: resizing by interpolation. `spatial_transformer`: sampling images at a grid of points.
- `im2col`: the contents of a sliding window, as columns.
- `copy`: to another device; `identity`.
"""

from renga_core.graph.operators import broadcast_to, get_item, reshape, squeeze, sum_to, transpose
from renga_nn.functions.array.as_strided import as_strided
from renga_nn.functions.array.axes import expand_dims, flatten, moveaxis, rollaxis, swapaxes
from renga_nn.functions.array.broadcast import broadcast
from renga_nn.functions.array.cast import cast
from renga_nn.functions.array.concat import concat, split_axis
from renga_nn.functions.array.copy import copy, identity
from renga_nn.functions.array.depth2space import depth2space, space2depth
from renga_nn.functions.array.diagonal import diagonal
from renga_nn.functions.array.flip import flip, fliplr, flipud
from renga_nn.functions.array.im2col import im2col
from renga_nn.functions.array.pad import pad
from renga_nn.functions.array.pad_sequence import pad_sequence
from renga_nn.functions.array.permutate import permutate
from renga_nn.functions.array.repeat import repeat, tile
from renga_nn.functions.array.resize_images import resize_images
from renga_nn.functions.array.scatter_add import scatter_add
from renga_nn.functions.array.select_item import select_item
from renga_nn.functions.array.spatial_transformer import spatial_transformer_grid, spatial_transformer_sampler
from renga_nn.functions.array.stack import dstack, hstack, separate, stack, vstack
from renga_nn.functions.array.transpose_sequence import transpose_sequence
from renga_nn.functions.array.where import where

__all__ = [
    "as_strided",
    "broadcast",
    "broadcast_to",
    "cast",
    "concat",
    "copy",
    "depth2space",
    "diagonal",
    "dstack",
    "expand_dims",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "get_item",
    "hstack",
    "identity",
    "im2col",
    "moveaxis",
    "pad",
    "pad_sequence",
    "permutate",
    "repeat",
    "reshape",
    "resize_images",
    "rollaxis",
    "scatter_add",
    "select_item",
    "separate",
    "space2depth",
    "spatial_transformer_grid",
    "spatial_transformer_sampler",
    "split_axis",
    "squeeze",
    "stack",
    "sum_to",
    "swapaxes",
    "tile",
    "transpose",
    "transpose_sequence",
    "vstack",
    "where",
]
