"""Shared code for drawing boxes and masks: order, captions, colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["captions", "check_lengths", "colors_of", "drawing_order", "write_caption"]


def check_lengths(function: str, number: int, of: str, **given: Any) -> None:
    """Raise an error unless each instance has a label and a score.

    Raises:
        ValueError: The lengths differ.
    """
    for name, value in given.items():
        if value is not None and len(value) != number:
            raise ValueError(f"{function}: {name} has {len(value)} elements; {of} has {number}")


def drawing_order(number: int, score: Any, sort_by_score: bool) -> list[int]:
    """Return the drawing order: ascending score, so that the best instances are on top."""
    if score is None or not sort_by_score:
        return list(range(number))
    order: list[int] = np.argsort(np.asarray(score), kind="stable").tolist()
    return order


def captions(function: str, number: int, label: Any, score: Any, label_names: Sequence[str] | None) -> list[str]:
    """Return the caption of each instance: class name and score.

    Raises:
        ValueError: A label has no name.
    """
    made = []
    for i in range(number):
        words = []
        if label is not None and label_names is not None:
            if not 0 <= label[i] < len(label_names):
                raise ValueError(f"{function}: label {label[i]} has no name; there are {len(label_names)} label_names")
            words.append(label_names[label[i]])
        if score is not None:
            words.append(f"{score[i]:.2f}")
        made.append(": ".join(words))
    return made


def colors_of(function: str, number: int, instance_colors: Any) -> np.ndarray[Any, Any]:
    """Return a colour for each instance, RGB from 0 to 1, ``(R, 3)``, repeating the given colours.

    Raises:
        ValueError: The argument is not a list of colours.
    """
    colors = np.asarray(instance_colors, np.float64)
    if colors.ndim != 2 or colors.shape[1] != 3 or not len(colors):
        raise ValueError(f"{function}: instance_colors must be colours (R, 3), RGB from 0 to 255, not {colors.shape}")
    repeated: np.ndarray[Any, Any] = colors[np.arange(number) % len(colors)] / 255
    return repeated


def write_caption(ax: Any, y: float, x: float, words: str) -> None:
    """Write a caption, unless empty, on a light background."""
    if words:
        ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 2}
        ax.text(x, y, words, style="italic", verticalalignment="bottom", bbox=ground)
