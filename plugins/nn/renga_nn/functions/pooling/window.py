"""The sliding window of pooling functions: checks of its arguments, and views of the images per window element."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from renga_core.backend import Array, is_floating
from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_nn.functions.checks import require_array
from renga_nn.functions.window import conv_outsize, deconv_outsize, per_axis

__all__ = ["Window"]


@dataclass(frozen=True, slots=True)
class Window:
    """A window over images of a known size.

    Attributes:
        ksize, stride, pad: One number for each spatial axis.
        size: Size of the images.
        out: Number of window positions along each axis.
        cover_all: Whether the last position may extend beyond the end, so that each element is covered.
    """

    ksize: tuple[int, ...]
    stride: tuple[int, ...]
    pad: tuple[int, ...]
    size: tuple[int, ...]
    out: tuple[int, ...]
    cover_all: bool = False

    @staticmethod
    def over(
        function: str,
        x: Any,
        ksize: int | Sequence[int],
        stride: int | Sequence[int] | None,
        pad: int | Sequence[int],
        cover_all: bool,
        n_axes: int,
    ) -> Window:
        """Make the window from the arguments of a pooling function, and check them.

        Raises:
            InvalidType: `x` has the wrong axes or dtype for `function`, or is smaller than the window.
            ValueError: `ksize`, `stride` or `pad` is invalid.
        """
        require_array(function, "x", x)
        if n_axes < 1:
            raise InvalidType(function, "x", "axes after the first two, to slide over", describe_array(x))
        if x.ndim != n_axes + 2 or not is_floating(x.dtype):
            raise InvalidType(function, "x", f"{n_axes + 2} axes and a floating dtype", describe_array(x))
        ks = per_axis(function, "ksize", ksize, n_axes)
        ss = ks if stride is None else per_axis(function, "stride", stride, n_axes)
        ps = per_axis(function, "pad", pad, n_axes, least=0)
        if any(p >= k for p, k in zip(ps, ks, strict=True)):
            raise ValueError(f"{function}: pad={pad} is not smaller than ksize={ksize}: a window could see no pixel")
        size = tuple(x.shape[2:])
        sizes = zip(size, ks, ss, ps, strict=True)
        out = tuple([_positions(n, k, s, p, cover_all) for n, k, s, p in sizes])
        if min(out) < 1:
            raise InvalidType(function, "x", f"images that a window of {ks} fits into", describe_array(x))
        return Window(ks, ss, ps, size, out, cover_all)

    @staticmethod
    def onto(
        function: str,
        x: Any,
        ksize: int | Sequence[int],
        stride: int | Sequence[int] | None,
        pad: int | Sequence[int],
        outsize: int | Sequence[int] | None,
        cover_all: bool,
        n_axes: int,
    ) -> Window:
        """Make the window of an unpooling function, whose positions are the elements of `x`, and check its arguments.

        Args:
            outsize: Size of the images to make; None: the smallest size with this number of positions.

        Raises:
            InvalidType: `x` has the wrong axes or dtype for `function`.
            ValueError: `ksize`, `stride`, `pad` or `outsize` is invalid, or the number of positions in images of
                `outsize` differs from the number of elements of `x`.
        """
        require_array(function, "x", x)
        if n_axes < 1 or x.ndim != n_axes + 2 or not is_floating(x.dtype):
            expected = f"{max(n_axes, 1) + 2} axes and a floating dtype"
            raise InvalidType(function, "x", expected, describe_array(x))
        ks = per_axis(function, "ksize", ksize, n_axes)
        ss = ks if stride is None else per_axis(function, "stride", stride, n_axes)
        ps = per_axis(function, "pad", pad, n_axes, least=0)
        out = tuple(x.shape[2:])
        if outsize is None:
            axes = zip(out, ks, ss, ps, strict=True)
            size = tuple([deconv_outsize(n, k, s, p, cover_all) for n, k, s, p in axes])
            if min(size) < 0:
                raise ValueError(f"{function}: ksize={ksize}, stride={stride}, pad={pad} leave nothing of {out}")
        else:
            size = per_axis(function, "outsize", outsize, n_axes)
        sizes = list(zip(size, ks, ss, ps, strict=True))
        positions = tuple([_positions(n, k, s, p, cover_all) for n, k, s, p in sizes])
        # A last position that contains only border is allowed here, although pooling would omit it.
        if out not in (positions, tuple([conv_outsize(n, k, s, p, cover_all) for n, k, s, p in sizes])):
            expected = (
                f"images of {positions}, the positions that a window of {ks} has on images of {size} "
                f"(stride {ss}, pad {ps}, cover_all={cover_all})"
            )
            raise InvalidType(function, "x", expected, describe_array(x))
        return Window(ks, ss, ps, size, out)

    @property
    def padded(self) -> tuple[int, ...]:
        """Size of the padded images that the windows cover."""
        axes = zip(self.size, self.ksize, self.stride, self.pad, self.out, strict=True)
        return tuple([max(n + p, (o - 1) * s + k) for n, k, s, p, o in axes])

    def pad_images(self, xp: Any, x: Array, value: float) -> Array:
        """Pad the images with `value`; return `x` itself if there is no border."""
        if self.padded == self.size:
            return x
        made = xp.full((*x.shape[:2], *self.padded), value, dtype=x.dtype)
        made[self._inside()] = x
        return made

    def crop_images(self, x: Array) -> Array:
        """Remove the border."""
        return x if self.padded == self.size else x[self._inside()]

    def elements(self) -> Iterator[tuple[Any, ...]]:
        """For each element of the window, the index in padded images of the pixels it covers."""
        for offset in itertools.product(*map(range, self.ksize)):
            axes = zip(offset, self.stride, self.out, strict=True)
            yield (..., *[slice(k, k + (o - 1) * s + 1, s) for k, s, o in axes])

    def _inside(self) -> tuple[Any, ...]:
        return (..., *[slice(p, p + n) for p, n in zip(self.pad, self.size, strict=True)])


def _positions(size: int, k: int, s: int, p: int, cover_all: bool) -> int:
    """Number of positions, without a last one that contains only border."""
    out = conv_outsize(size, k, s, p, cover_all)
    return out - 1 if cover_all and (out - 1) * s >= size + p else out
