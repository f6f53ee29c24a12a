"""Draw masks on a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array
from renga_cv.utils.checks import require_masks
from renga_cv.utils.mask import mask_to_bbox
from renga_cv.visualizations.colormap import voc_colormap
from renga_cv.visualizations.instances import captions, check_lengths, colors_of, drawing_order, write_caption
from renga_cv.visualizations.vis_image import vis_image

__all__ = ["vis_instance_segmentation"]


def vis_instance_segmentation(
    img: Any,
    mask: Any,
    label: Any = None,
    score: Any = None,
    label_names: Sequence[str] | None = None,
    instance_colors: Any = None,
    alpha: float = 0.7,
    sort_by_score: bool = True,
    ax: Any = None,
) -> Any:
    """Draw coloured masks with class names and scores.

    Args:
        img: Image ``(3, H, W)`` or ``(1, H, W)``, from 0 to 255. None: masks only.
        mask: Masks ``(R, H, W)``, booleans.
        label: Their classes, integers ``(R,)``. Needed for `label_names`.
        score: Their scores ``(R,)``.
        label_names: The names of all classes.
        instance_colors: Colours of masks, RGB from 0 to 255, ``(R, 3)``; repeated if too few. None: PASCAL VOC's
            colours, without black.
        alpha: How opaque masks are, from 0 to 1.
        sort_by_score: Draw masks with high scores on top.
        ax: Matplotlib axes to draw into. None: a new pyplot figure.

    Returns:
        The axes.

    Raises:
        InvalidType: `img` is not an image, or `mask` not an array of masks of its size.
        ValueError: `label` or `score` has another length than `mask`, a label has no name, or `instance_colors` is
            invalid. Nothing has been drawn.
        RengaError: Matplotlib is not installed.
    """
    function = "vis_instance_segmentation"
    require_masks(function, "mask", mask)
    if img is not None and tuple(img.shape[1:]) != mask.shape[1:]:
        raise InvalidType(function, "mask", f"masks of the picture's size {tuple(img.shape[1:])}", describe_array(mask))
    check_lengths(function, len(mask), "mask", label=label, score=score)
    words = captions(function, len(mask), label, score, label_names)
    if instance_colors is None:
        instance_colors = voc_colormap(range(1, max(len(mask), 1) + 1))
    colors = colors_of(function, len(mask), instance_colors)
    ax = vis_image(img, ax)
    order = drawing_order(len(mask), score, sort_by_score)
    canvas = np.zeros((*mask.shape[1:], 4))
    for i in order:
        canvas[mask[i]] = (*colors[i], alpha)
    if 0 not in mask.shape[1:]:
        ax.imshow(canvas)
    for i, (y_min, x_min, y_max, x_max) in zip(order, mask_to_bbox(mask)[order], strict=True):
        if mask[i].any():
            write_caption(ax, (y_min + y_max - 1) / 2, (x_min + x_max - 1) / 2, words[i])
    return ax
