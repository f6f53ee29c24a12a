"""The factor by which an image was resized, from its size: an integer Variable ``(2,)``, height and width.

Everything is computed in double precision, as in programs that resize images.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import Variable
from renga_core.graph.operators import cast
from renga_cv.functions.detection.nodes import Host, HostNode, OnnxCall
from renga_nn.functions.math import floor, maximum, minimum
from renga_nn.functions.math import max as largest
from renga_nn.functions.math import min as smallest

__all__ = ["contained", "enlargement", "image_size", "rounded"]


def enlargement(size: Any, min_size: int, max_size: int) -> Variable:
    """The factor of `renga_cv.links.model.faster_rcnn.scaling.scale_img`, float64 ``()``."""
    size = cast(size, np.float64)
    y: Variable = minimum(min_size / smallest(size), max_size / largest(size))
    return y


def contained(size: Any, edge: int) -> tuple[Variable, Variable]:
    """Position and size of an image that `renga_cv.transforms.resize_contain` has put in a square.

    Args:
        size: The size of the image.
        edge: Edge of the square, in pixels.

    Returns:
        The position of the upper left corner, and the size in the square, both float64 ``(2,)``.
    """
    size = cast(size, np.float64)
    there = maximum(floor(size * minimum(edge / largest(size), 1.0)), 1.0)
    return rounded((edge - there) * 0.5), there


def image_size(image: Any) -> Variable:
    """Height and width of an image ``(1, 3, H, W)``: integers ``(2,)``."""
    return ImageSize().of(image)[0]


def rounded(x: Any) -> Variable:
    """The nearest integers, halves to even, as in NumPy and Python. No gradient flows through it."""
    return Rounded().of(x)[0]


class ImageSize(HostNode):
    """See `image_size`."""

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """The last two sizes."""
        return (np.array(inputs[0].shape[2:], np.int64),)

    def to_onnx(self, call: OnnxCall) -> None:
        """Shape."""
        call.op("Gather", [call.op("Shape", call.inputs), call.integers([2, 3])], call.outputs)


class Rounded(HostNode):
    """See `rounded`."""

    def compute(self, *inputs: Host) -> tuple[Host, ...]:
        """NumPy's."""
        return (np.round(inputs[0]),)

    def to_onnx(self, call: OnnxCall) -> None:
        """Round."""
        call.op("Round", call.inputs, call.outputs)
