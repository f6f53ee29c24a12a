"""Draw boxes on a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_cv.utils.checks import require_boxes
from renga_cv.visualizations.instances import captions, check_lengths, colors_of, drawing_order, write_caption
from renga_cv.visualizations.vis_image import vis_image

__all__ = ["vis_bbox"]

_RED = [(255, 0, 0)]


def vis_bbox(
    img: Any,
    bbox: Any,
    label: Any = None,
    score: Any = None,
    label_names: Sequence[str] | None = None,
    instance_colors: Any = None,
    alpha: float = 1.0,
    linewidth: float = 3.0,
    sort_by_score: bool = True,
    ax: Any = None,
) -> Any:
    """Draw boxes with class names and scores.

    Args:
        img: Image ``(3, H, W)`` or ``(1, H, W)``, from 0 to 255. None: boxes only.
        bbox: Boxes ``(R, 4)``.
        label: Their classes, integers ``(R,)``. Needed for `label_names`.
        score: Their scores ``(R,)``.
        label_names: The names of all classes.
        instance_colors: Colours of boxes, RGB from 0 to 255, ``(R, 3)``; repeated if too few. None: red.
        alpha: How opaque boxes are, from 0 to 1.
        linewidth: Width of lines, in points.
        sort_by_score: Draw boxes with high scores on top.
        ax: Matplotlib axes to draw into. None: a new pyplot figure.

    Returns:
        The axes.

    Raises:
        InvalidType: `img` is not an image, or `bbox` not an array of boxes.
        ValueError: `label` or `score` has another length than `bbox`, a label has no name, or `instance_colors` is
            invalid. Nothing has been drawn.
        RengaError: Matplotlib is not installed.
    """
    require_boxes("vis_bbox", "bbox", bbox)
    check_lengths("vis_bbox", len(bbox), "bbox", label=label, score=score)
    words = captions("vis_bbox", len(bbox), label, score, label_names)
    colors = colors_of("vis_bbox", len(bbox), _RED if instance_colors is None else instance_colors)
    ax = vis_image(img, ax)
    from matplotlib.patches import Rectangle

    for i in drawing_order(len(bbox), score, sort_by_score):
        y_min, x_min, y_max, x_max = map(float, bbox[i])
        # The first pixel is drawn from -0.5 to 0.5; in boxes it goes from 0 to 1.
        corner = x_min - 0.5, y_min - 0.5
        ax.add_patch(
            Rectangle(
                corner, x_max - x_min, y_max - y_min, fill=False, edgecolor=colors[i], linewidth=linewidth, alpha=alpha
            )
        )
        write_caption(ax, corner[1], corner[0], words[i])
    if img is None and len(bbox):
        ax.set_xlim(min(bbox[:, 1]), max(bbox[:, 3]))
        ax.set_ylim(max(bbox[:, 2]), min(bbox[:, 0]))
    return ax
