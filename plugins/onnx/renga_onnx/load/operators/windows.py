"""Positions of a window that slides over images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_onnx.load.operators.values import affordable

__all__ = ["Windows"]

Host = np.ndarray[Any, Any]
Ints = Sequence[int]


@dataclass(frozen=True)
class Windows:
    """The window of a convolution or a pooling, in ONNX's terms, over images of a known size.

    Attributes:
        size: Size of the images.
        kernel, strides, dilations: One number for each axis.
        before, after: Width of the border.
        out: Number of positions of the window along each axis.
    """

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    out: tuple[int, ...]

    @staticmethod
    def over(
        size: Ints,
        kernel: Ints,
        strides: Ints | None,
        pads: Ints | None,
        dilations: Ints | None,
        auto_pad: str,
        ceil_mode: int = 0,
    ) -> Windows:
        """From the attributes of an operator.

        Raises:
            ValueError: They do not fit, or the window is larger than the images.
        """
        n = len(size)
        steps, gaps = tuple(strides or [1] * n), tuple(dilations or [1] * n)
        if not len(kernel) == len(steps) == len(gaps) == n or min((*kernel, *steps, *gaps), default=1) < 1:
            raise ValueError(f"kernel {list(kernel)}, strides {list(steps)}, dilations {list(gaps)} for {n} axes")
        reach = [(k - 1) * d + 1 for k, d in zip(kernel, gaps, strict=True)]
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            needed = [max(0, (-(-s // t) - 1) * t + r - s) for s, t, r in zip(size, steps, reach, strict=True)]
            less, more = [p // 2 for p in needed], [p - p // 2 for p in needed]
            before, after = (less, more) if auto_pad == "SAME_UPPER" else (more, less)
        elif auto_pad == "VALID" or pads is None:
            before, after = [0] * n, [0] * n
        else:
            before, after = list(pads[:n]), list(pads[n:])
        affordable([s + b + a for s, b, a in zip(size, before, after, strict=True)], np.int64, math.prod(size))
        out = []
        for s, t, r, b, a in zip(size, steps, reach, before, after, strict=True):
            rest = s + b + a - r
            count = (-(-rest // t) if ceil_mode else rest // t) + 1
            if ceil_mode and (count - 1) * t >= s + b:
                count -= 1  # the last window would begin in the padding at the end
            if rest < 0 or count < 1:
                raise ValueError(f"a window of {reach} does not fit into images of {list(size)} with borders")
            out.append(count)
        return Windows(tuple(size), tuple(kernel), steps, gaps, tuple(before), tuple(after), tuple(out))

    @property
    def exceeding(self) -> tuple[int, ...]:
        """How far the last window extends beyond the padding at the end; 0 unless the count was rounded up."""
        return tuple(
            [
                max(0, (o - 1) * t + (k - 1) * d + 1 - s - b - a)
                for o, t, k, d, s, b, a in zip(
                    self.out, self.strides, self.kernel, self.dilations, self.size, self.before, self.after, strict=True
                )
            ]
        )

    @property
    def plain(self) -> bool:
        """Whether Renga's functions support it: equal padding, no dilation, no window beyond the padding."""
        return (
            self.before == self.after
            and set(self.dilations) <= {1}
            and not any(self.exceeding)
            and all(b < k for b, k in zip(self.before, self.kernel, strict=True))
        )

    def unclipped(self, axis: int) -> Host:
        """The position along an axis of each element of each window, ``(*kernel, *out)``, including the padding."""
        along = np.arange(self.kernel[axis])[:, None] * self.dilations[axis]
        along = along + np.arange(self.out[axis]) * self.strides[axis] - self.before[axis]
        shape = (along.shape[0], 1, along.shape[1], 1) if axis == 0 else (1, along.shape[0], 1, along.shape[1])
        return np.broadcast_to(along.reshape(shape), (*self.kernel, *self.out))

    def places(self) -> tuple[Host, Host, Host]:
        """Return the elements of each window.

        Returns:
            Integers ``(*out, elements)``: indices of the elements in the image, clipped to its edge; a mask of elements
            inside the image; and a mask of elements inside the image or its padding.
        """
        affordable([*self.out, *self.kernel], np.int64)
        numbers, within, counted = np.zeros((), np.intp), np.ones((), bool), np.ones((), bool)
        n = len(self.size)
        for axis in range(n):
            at = np.arange(self.out[axis])[:, None] * self.strides[axis] - self.before[axis]
            at = at + np.arange(self.kernel[axis]) * self.dilations[axis]
            shape = [1] * (2 * n)
            shape[axis], shape[n + axis] = at.shape
            at = at.reshape(shape)
            numbers = numbers * self.size[axis] + np.clip(at, 0, self.size[axis] - 1)
            within = within & (at >= 0) & (at < self.size[axis])
            counted = counted & (at < self.size[axis] + self.after[axis])
        flat = (*self.out, -1)
        return numbers.reshape(flat), within.reshape(flat), counted.reshape(flat)
