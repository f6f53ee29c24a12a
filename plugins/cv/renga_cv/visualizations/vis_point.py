"""Draw points on a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_cv.utils.checks import require_points
from renga_cv.visualizations.vis_image import vis_image

__all__ = ["vis_point"]


def vis_point(img: Any, point: Any, visible: Any = None, ax: Any = None) -> Any:
    """Draw points; the k-th of each instance has the k-th colour.

    Args:
        img: Image ``(3, H, W)`` or ``(1, H, W)``, from 0 to 255. None: points only.
        point: Points ``(R, K, 2)``: y, x.
        visible: Which of them to draw, booleans ``(R, K)``. None: all.
        ax: Matplotlib axes to draw into. None: a new pyplot figure.

    Returns:
        The axes.

    Raises:
        InvalidType: `img` is not an image, `point` not an array of points, or `visible` of another shape.
        RengaError: Matplotlib is not installed.
    """
    require_points("vis_point", "point", point)
    seen = np.ones(point.shape[:2], bool) if visible is None else np.asarray(visible, bool)
    if seen.shape != point.shape[:2]:
        raise InvalidType("vis_point", "visible", f"booleans {point.shape[:2]}", describe_array(seen))
    ax = vis_image(img, ax)
    from matplotlib import colormaps

    number = point.shape[1]
    colors = colormaps["rainbow"](np.linspace(0, 1, number))
    for k in range(number):
        y, x = point[seen[:, k], k].T
        ax.scatter(x - 0.5, y - 0.5, color=colors[k], edgecolors="white")
    if img is not None:  # points outside of the picture must not change the range of the axes
        ax.set_xlim(-0.5, img.shape[2] - 0.5)
        ax.set_ylim(img.shape[1] - 0.5, -0.5)
    return ax
