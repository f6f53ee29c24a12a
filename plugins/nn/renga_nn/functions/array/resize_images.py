"""Resizing images."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_array_module, get_backend, is_floating
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.kernel import Operation
from renga_nn.functions.checks import require_array, require_choice
from renga_nn.functions.window import per_axis

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["resize_images"]

Host = np.ndarray[Any, Any]


def resize_images(
    x: Any, output_shape: int | Sequence[int], *, mode: str = "bilinear", align_corners: bool = True
) -> Variable:
    """Resize images by interpolation.

    Args:
        x: Images ``(N, C, H, W)``.
        output_shape: Height and width of the result.
        mode: ``"bilinear"``, or ``"nearest"``: row ``i`` is then row ``floor(i H / H')``; columns likewise.
        align_corners: Whether the centers of the corner pixels are aligned. Otherwise the corners of the images are
            aligned, as in most image libraries. No effect on ``"nearest"``.

    Returns:
        Variable ``(N, C, *output_shape)``.

    Raises:
        InvalidType: `x` does not contain floating images, or they have no pixels.
        ValueError: `output_shape` or `mode` is invalid.

    >>> import numpy as np
    >>> resize_images(np.array([[[[1.0, 3.0]]]]), (1, 3)).array.tolist()
    [[[[1.0, 2.0, 3.0]]]]
    >>> resize_images(np.array([[[[1.0, 3.0]]]]), (1, 4), mode="nearest").array.tolist()
    [[[[1.0, 1.0, 3.0, 3.0]]]]
    """
    require_choice("resize_images", "mode", mode, ("bilinear", "nearest"))
    require_array("resize_images", "x", x)
    if x.ndim != 4 or not is_floating(x.dtype) or 0 in x.shape[2:]:
        raise InvalidType("resize_images", "x", "images (N, C, H, W) of a floating dtype", describe_array(x))
    out = per_axis("resize_images", "output_shape", output_shape, 2)
    taps = {axis: _taps(x.shape[axis], out[axis - 2], mode, align_corners) for axis in (2, 3)}
    return Resample(taps).apply((x,))[0]


@dataclass(frozen=True, slots=True)
class Taps:
    """A sparse matrix with few entries per row: each element of the result is a weighted sum of these.

    Attributes:
        columns: Integers ``(entries, rows)``: the indexes of the elements.
        weights: Floats ``(entries, rows)``; 0 for unused entries.
        size: Number of columns of the matrix.
        rule: The rule from which the entries were computed: ``"nearest"``, ``"align_corners"``, ``"half_pixel"``, or ""
            for another one.
    """

    columns: Host
    weights: Host
    size: int
    rule: str = ""

    def transposed(self) -> Taps:
        """The transposed matrix."""
        entries, rows = np.nonzero(self.weights)
        columns = self.columns[entries, rows]
        order = np.argsort(columns, kind="stable")
        row, column, weight = rows[order], columns[order], self.weights[entries, rows][order]
        # The position of each entry within its column.
        number = np.arange(len(column)) - np.searchsorted(column, column)
        most = int(number.max(initial=0)) + 1
        made = Taps(np.zeros((most, self.size), np.intp), np.zeros((most, self.size)), self.columns.shape[1])
        made.columns[number, column] = row
        made.weights[number, column] = weight
        return made


@functools.lru_cache(maxsize=64)
def _taps(size: int, out: int, mode: str, align_corners: bool) -> Taps:
    """For each of `out` pixels along an axis, the pixels of `size` that contribute to it."""
    at = np.arange(out)
    if mode == "nearest":
        return Taps((at * size // out)[None], np.ones((1, out)), size, "nearest")
    places = np.linspace(0, size - 1, out) if align_corners else np.clip((at + 0.5) * size / out - 0.5, 0, size - 1)
    low = np.floor(places).astype(np.intp)
    share = places - low
    rule = "align_corners" if align_corners else "half_pixel"
    return Taps(np.stack([low, np.minimum(low + 1, size - 1)]), np.stack([1 - share, share]), size, rule)


def _resample(x: Array, axes: Sequence[int], columns: Sequence[Host], weights: Sequence[Host]) -> Array:
    """Multiply by a sparse matrix along each of some axes, in this order: row ``r`` of the result is the sum over ``e``
    of ``weights[e, r]`` times row ``columns[e, r]`` of `x`. All are host arrays ``(entries, rows)``.
    """
    xp = get_array_module(x)
    for axis, places, factors in zip(axes, columns, weights, strict=True):
        before, along = (slice(None),) * axis, (-1, *[1] * (x.ndim - axis - 1))
        y = None
        for column, weight in zip(places, factors, strict=True):
            part = x[(*before, xp.asarray(column))] * xp.asarray(weight, dtype=x.dtype).reshape(*along)
            if y is None:
                y = part
            else:
                y += part
        x = y
    return x


RESAMPLE = Operation("resample", _resample, samples="renga_nn.functions.example_arguments:resample")


class Resample(FunctionNode):
    """Multiply by a sparse matrix along each of some axes. The gradient uses the transposed ones: nothing is scattered.

    Args:
        taps: The matrices by axis.
    """

    fresh_gradients = True

    def __init__(self, taps: Mapping[int, Taps]) -> None:
        self.taps = taps

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Multiply, in the order that has the least to gather."""
        (x,) = inputs
        axes = sorted(self.taps, key=self._rank)
        columns, weights = [self.taps[axis].columns for axis in axes], [self.taps[axis].weights for axis in axes]
        args = (x, axes, columns, weights)
        return (RESAMPLE.select(get_backend(x), *args).forward(*args),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The transposed matrices."""
        return Resample({axis: taps.transposed() for axis, taps in self.taps.items()}).apply(grad_outputs)

    def _rank(self, axis: int) -> tuple[bool, int]:
        """First the axes that shrink. Elements of the last axis are gathered one by one, others in whole rows: so the
        last axis comes after the axes that shrink, and before those that grow."""
        grows = self.taps[axis].columns.shape[1] >= self.taps[axis].size
        return grows, -axis if grows else axis
