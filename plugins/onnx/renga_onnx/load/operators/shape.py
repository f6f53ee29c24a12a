"""Shapes, and rearranging of elements."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from renga_core.backend import get_array_module, to_host
from renga_nn import functions as F
from renga_onnx.load.operators.table import operator
from renga_onnx.load.operators.values import affordable, axis_of, ints, is_float

__all__: list[str] = []


@operator("Shape")
def shape(x: Any, *, start: int = 0, end: int | None = None) -> Any:
    """The sizes of the axes from `start` to `end`, on the host."""
    return np.array(x.shape[start:end], np.int64)


@operator("Size")
def size(x: Any) -> Any:
    """The number of elements, on the host."""
    return np.array(x.size, np.int64)


@operator("Reshape", host=(1,))
def reshape(x: Any, shape: Any, *, allowzero: int = 0) -> Any:
    """Reshape: -1 takes the rest, 0 keeps the size unless `allowzero`."""
    wanted = ints(shape)
    if not allowzero:
        if 0 in wanted[x.ndim :]:
            raise ValueError(f"the shape {wanted} has a zero without a size to keep")
        wanted = tuple([x.shape[i] if n == 0 else n for i, n in enumerate(wanted)])
    return x.reshape(wanted)


@operator("Transpose")
def transpose(x: Any, *, perm: list[int] | None = None) -> Any:
    """Permute the axes; by default, reverse them."""
    order = tuple(range(x.ndim))[::-1] if perm is None else tuple(perm)
    return x.transpose(order) if order else x


@operator("Squeeze", host=(1,))
def squeeze(x: Any, axes: Any = None) -> Any:
    """Remove some axes of size 1, or all of them."""
    if axes is None:
        return x.reshape([n for n in x.shape if n != 1])
    gone = {axis_of(axis, x.ndim) for axis in ints(axes)}
    if any(x.shape[axis] != 1 for axis in gone):
        raise ValueError(f"axes {sorted(gone)} of shape {x.shape} are not all of size 1")
    return x.reshape([n for axis, n in enumerate(x.shape) if axis not in gone])


@operator("Unsqueeze", host=(1,))
def unsqueeze(x: Any, axes: Any) -> Any:
    """Insert axes of size 1."""
    ndim = x.ndim + np.size(axes)
    new = {axis_of(axis, ndim) for axis in ints(axes)}
    rest = iter(x.shape)
    return x.reshape([1 if axis in new else next(rest) for axis in range(ndim)])


@operator("Flatten")
def flatten(x: Any, *, axis: int = 1) -> Any:
    """Reshape to a matrix: the axes before `axis`, and the others."""
    axis = axis if axis >= 0 else axis + x.ndim
    return x.reshape((math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@operator("Concat")
def concat(*xs: Any, axis: int) -> Any:
    """Concatenate along an axis."""
    return F.concat(xs, axis=axis) if is_float(xs[0]) else get_array_module(xs[0]).concatenate(xs, axis=axis)


@operator("Split", host=(1,), count="num_outputs")
def split(x: Any, split: Any = None, *, axis: int = 0, num_outputs: int = 0) -> Any:
    """Split along an axis: by sizes, or into a number of equal parts, of which the last may be smaller."""
    length = x.shape[axis]
    if split is None:
        each = -(-length // num_outputs)
        sizes = [max(0, min(each, length - i * each)) for i in range(num_outputs)]
    else:
        sizes = list(ints(split))
    if sum(sizes) != length or min(sizes, default=0) < 0:
        raise ValueError(f"the sizes {sizes} do not add up to {length} along axis {axis}")
    ends = np.cumsum([0, *sizes])
    before = (slice(None),) * axis_of(axis, x.ndim)
    return tuple([x[(*before, slice(int(a), int(b)))] for a, b in itertools.pairwise(ends)])


@operator("Slice", host=(1, 2, 3, 4))
def slices(x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    """Slice some axes, as in NumPy."""
    firsts = ints(starts)
    chosen = tuple(range(len(firsts))) if axes is None else ints(axes)
    strides = (1,) * len(firsts) if steps is None else ints(steps)
    index = [slice(None)] * x.ndim
    for axis, start, end, step in zip(chosen, firsts, ints(ends), strides, strict=True):
        axis = axis_of(axis, x.ndim)
        n = x.shape[axis]
        # With negative steps, the end may be before the first element. Only None expresses that.
        stop = None if step < 0 and end < -n else end
        index[axis] = slice(start, stop, step) if step > 0 or start >= -n else slice(0, 0)
    return x[tuple(index)]


@operator("Expand", host=(1,))
def expand(x: Any, shape: Any) -> Any:
    """Broadcast to a shape."""
    wanted = affordable(np.broadcast_shapes(x.shape, ints(shape)), x.dtype, x.size)
    return F.broadcast_to(x, wanted) if is_float(x) else get_array_module(x).broadcast_to(x, wanted)


@operator("Tile", host=(1,))
def tile(x: Any, repeats: Any) -> Any:
    """Repeat each axis a number of times."""
    times = ints(repeats)
    affordable([t * n for t, n in zip(times, x.shape, strict=True)], x.dtype, x.size)
    if is_float(x):
        return F.tile(x, times)
    wide = [size for pair in zip(times, x.shape, strict=True) for size in pair]
    columns = x.reshape([size for n in x.shape for size in (1, n)])
    return (
        get_array_module(x)
        .broadcast_to(columns, tuple(wide))
        .reshape([t * size for t, size in zip(times, x.shape, strict=True)])
    )


@operator("Pad", host=(1, 2, 3))
def pad(x: Any, pads: Any, constant_value: Any = None, axes: Any = None, *, mode: str = "constant") -> Any:
    """Pad with a constant, or with elements of the array (``"edge"``, ``"reflect"``, ``"wrap"``); negative widths crop.

    Paddings other than constants are lookups, so gradients flow to their source elements.
    """
    chosen = range(x.ndim) if axes is None else [axis_of(axis, x.ndim) for axis in ints(axes)]
    widths = [(0, 0)] * x.ndim
    given = ints(pads)
    for i, axis in enumerate(chosen):
        widths[axis] = given[i], given[i + len(chosen)]
    inside = tuple([slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(x.shape, widths, strict=True)])
    x = x[inside]
    border = [(max(0, a), max(0, b)) for a, b in widths]
    if not any(map(sum, border)):
        return x
    affordable([n + sum(ends) for n, ends in zip(x.shape, border, strict=True)], x.dtype, x.size)
    xp = get_array_module(x)
    if mode == "constant":
        value = 0 if constant_value is None else np.asarray(constant_value).reshape(-1)[0].item()
        if is_float(x):
            return F.pad(x, border, "constant", constant_values=value)
        for axis, widths_of_axis in enumerate(border):
            ends = [xp.full((*x.shape[:axis], w, *x.shape[axis + 1 :]), value, dtype=x.dtype) for w in widths_of_axis]
            x = xp.concatenate([ends[0], x, ends[1]], axis=axis)
        return x
    for axis, (before, after) in enumerate(border):
        if before or after:
            # The annotation of `np.pad` lists its modes; it raises an error for any other mode of the file.
            places = np.pad(np.arange(x.shape[axis]), (before, after), mode=mode)  # type: ignore[call-overload]
            x = x[(*(slice(None),) * axis, xp.asarray(places))]
    return x


@operator("CenterCropPad", host=(1,))
def center_crop_pad(x: Any, shape: Any, *, axes: list[int] | None = None) -> Any:
    """Crop or zero-pad around the center, so that axes have the given sizes."""
    chosen = range(x.ndim) if axes is None else [axis_of(axis, x.ndim) for axis in axes]
    before, after = [0] * x.ndim, [0] * x.ndim
    for axis, wanted in zip(chosen, ints(shape), strict=True):
        n = x.shape[axis]
        # An odd difference goes to the end.
        first = -((n - wanted) // 2) if wanted < n else (wanted - n) // 2
        before[axis], after[axis] = first, wanted - n - first
    return pad(x, np.array(before + after))


@operator("DepthToSpace")
def depth_to_space(x: Any, *, blocksize: int, mode: str = "DCR") -> Any:
    """Depth to space: channels become pixels of a block; the block index comes before (``"DCR"``) or after
    (``"CRD"``)."""
    n, c, h, w = x.shape
    b = blocksize
    if mode == "DCR":
        x = x.reshape((n, b, b, c // b**2, h, w)).transpose((0, 3, 4, 1, 5, 2))
    else:
        x = x.reshape((n, c // b**2, b, b, h, w)).transpose((0, 1, 4, 2, 5, 3))
    return x.reshape((n, c // b**2, h * b, w * b))


@operator("SpaceToDepth")
def space_to_depth(x: Any, *, blocksize: int) -> Any:
    """Space to depth: pixels of a block become channels."""
    n, c, h, w = x.shape
    b = blocksize
    x = x.reshape((n, c, h // b, b, w // b, b)).transpose((0, 3, 5, 1, 2, 4))
    return x.reshape((n, c * b**2, h // b, w // b))


@operator("Trilu", host=(1,))
def triangle(x: Any, k: Any = None, *, upper: int = 1) -> Any:
    """Upper or lower triangle of matrices, from diagonal `k` on; zeros elsewhere."""
    xp = get_array_module(x)
    offset = 0 if k is None else int(np.asarray(k).reshape(-1)[0])
    rows, columns = xp.arange(x.shape[-2])[:, None], xp.arange(x.shape[-1])[None]
    kept = columns - rows >= offset if upper else columns - rows <= offset
    zero = xp.zeros((), dtype=x.dtype)
    return F.where(xp.broadcast_to(kept, x.shape), x, zero) if is_float(x) else xp.where(kept, x, zero)


@operator("ReverseSequence", host=(1,))
def reverse_sequence(x: Any, lengths: Any, *, batch_axis: int = 1, time_axis: int = 0) -> Any:
    """Reverse the first elements along time; their number differs for each sequence of the batch."""
    xp = get_array_module(x)
    places = np.tile(np.arange(x.shape[time_axis]), (x.shape[batch_axis], 1))
    for row, length in zip(places, ints(lengths), strict=True):
        row[:length] = row[:length][::-1].copy()
    where = [xp.arange(n).reshape([-1 if i == axis else 1 for i in range(x.ndim)]) for axis, n in enumerate(x.shape)]
    along = places if batch_axis < time_axis else places.T
    where[time_axis] = xp.asarray(along).reshape(
        [n if axis in (batch_axis, time_axis) else 1 for axis, n in enumerate(x.shape)]
    )
    return x[tuple(where)]


@operator("Identity")
def identity(x: Any) -> Any:
    """Return x itself, or a sequence."""
    return x


@operator("NonZero")
def nonzero(x: Any) -> Any:
    """Indices of nonzero elements: one row per axis. On the host."""
    array = to_host(x)
    return np.stack(np.nonzero(np.atleast_1d(array)))[: array.ndim].astype(np.int64)
