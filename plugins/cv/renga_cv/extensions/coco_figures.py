"""Name COCO's metrics for reporting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from renga_cv.extensions.prediction_evaluator import by_name

__all__ = ["coco_figures"]


def coco_figures(found: Mapping[str, Any], label_names: Sequence[str] | None) -> dict[str, Any]:
    """Return the means, and the metrics of each class by name, from `eval_detection_coco`."""
    figures = {key: value for key, value in found.items() if key.startswith(("map/", "mar/"))}
    for key, values in found.items():
        if key.startswith(("ap/", "ar/")):
            figures.update(by_name(key, values, label_names))
    return figures
