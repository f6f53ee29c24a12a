"""COCO's measures as an extension reports them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from renga_cv.extensions.prediction_evaluator import by_name

__all__ = ["coco_figures"]


def coco_figures(found: Mapping[str, Any], label_names: Sequence[str] | None) -> dict[str, Any]:
    """The means, and the measures of each class by its name, of what `eval_detection_coco` returns."""
    figures = {key: value for key, value in found.items() if key.startswith(("map/", "mar/"))}
    for key, values in found.items():
        if key.startswith(("ap/", "ar/")):
            figures.update(by_name(key, values, label_names))
    return figures
