"""Draw a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_cv.utils.checks import require_image
from renga_serializers.optional import require

__all__ = ["vis_image"]


def vis_image(img: Any, ax: Any = None) -> Any:
    """Draw a picture.

    Args:
        img: Image ``(3, H, W)`` or ``(1, H, W)``, from 0 to 255. None: only create the axes.
        ax: Matplotlib axes to draw into. None: a new pyplot figure.

    Returns:
        The axes.

    Raises:
        InvalidType: `img` is not an image of one or three channels.
        RengaError: Matplotlib is not installed.
    """
    require("matplotlib", "vis_image", "plot")
    if img is not None:
        require_image("vis_image", img)
        if len(img) not in (1, 3):
            raise InvalidType("vis_image", "img", "an image of 1 or 3 channels", describe_array(img))
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure().add_subplot()
    if img is not None:
        pixels = np.rint(np.clip(img, 0, 255)).astype(np.uint8)
        ax.imshow(np.broadcast_to(pixels, (3, *pixels.shape[1:])).transpose(1, 2, 0))
    return ax
