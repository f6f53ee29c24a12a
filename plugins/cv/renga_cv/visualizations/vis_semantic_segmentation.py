"""Draw the class of each pixel into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.graph import InvalidType
from renga_core.graph.errors import describe_array, require_array
from renga_cv.visualizations.colormap import voc_colormap
from renga_cv.visualizations.vis_image import vis_image

__all__ = ["vis_semantic_segmentation"]


def vis_semantic_segmentation(
    img: Any,
    label: Any,
    label_names: Sequence[str] | None = None,
    label_colors: Any = None,
    ignore_label_color: tuple[float, float, float] = (0, 0, 0),
    alpha: float = 1,
    all_label_names_in_legend: bool = False,
    ax: Any = None,
) -> tuple[Any, list[Any]]:
    """Draw the class of each pixel as a colour.

    To add a legend, call ``ax.legend(handles=handles)``.

    Args:
        img: Image ``(3, H, W)`` or ``(1, H, W)``, from 0 to 255. None: classes only.
        label: Classes, integers ``(H, W)``; -1 where there is none.
        label_names: The names of all classes, for the legend. None: their numbers.
        label_colors: Their colours, RGB from 0 to 255, ``(number of classes, 3)``. None: those of PASCAL VOC.
        ignore_label_color: The colour where there is no class.
        alpha: How opaque classes are, from 0 to 1.
        all_label_names_in_legend: Return handles of all classes. If False, only of those in the picture.
        ax: Matplotlib axes to draw into. None: a new pyplot figure.

    Returns:
        The axes, and handles for a legend, by ascending class.

    Raises:
        InvalidType: `img` is not an image, or `label` has another shape or holds no integers.
        ValueError: A label is less than -1, or has no name or no colour. Nothing has been drawn.
        RengaError: Matplotlib is not installed.
    """
    function = "vis_semantic_segmentation"
    require_array(function, "label", label)
    if label.ndim != 2 or label.dtype.kind not in "iu" or (img is not None and label.shape != img.shape[1:]):
        size = "" if img is None else f", the picture's size {tuple(img.shape[1:])}"
        raise InvalidType(function, "label", f"integers (H, W){size}", describe_array(label))
    least, most = label.min(initial=-1), label.max(initial=-1)
    known = min((len(given) for given in (label_names, label_colors) if given is not None), default=int(most) + 1)
    if least < -1 or most >= known:
        raise ValueError(f"{function}: labels are from {least} to {most}; expected -1 to {known - 1}")
    colors = voc_colormap(range(known)) if label_colors is None else np.asarray(label_colors)[:known]
    table = np.concatenate([colors.reshape(-1, 3), [ignore_label_color]]) / 255  # the last colour is for -1
    ax = vis_image(img, ax)
    if label.size:
        ax.imshow(table[label.astype(np.int64)], alpha=alpha)
    from matplotlib.patches import Patch

    shown = range(known) if all_label_names_in_legend else [int(i) for i in np.unique(label) if i >= 0]
    names = [str(i) if label_names is None else label_names[i] for i in shown]
    return ax, [Patch(color=table[i], label=name) for i, name in zip(shown, names, strict=True)]
