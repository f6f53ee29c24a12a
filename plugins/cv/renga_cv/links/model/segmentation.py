"""Shared code of `predict` in networks for semantic segmentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_array_module, to_host

__all__ = ["Host", "labels_of", "predict_by_shape"]

Host = np.ndarray[Any, Any]


def labels_of(scores: Array) -> Host:
    """Return the class with the largest score at each pixel.

    Args:
        scores: ``(N, classes, H, W)``, on any device.

    Returns:
        int32 ``(N, H, W)``, on the host. The classes are chosen on the device, so that little is transferred.
    """
    return to_host(get_array_module(scores).argmax(scores, axis=1)).astype(np.int32)


def predict_by_shape(imgs: Sequence[Host], predict: Callable[[Host], Host]) -> list[Host]:
    """Predict images of one shape together.

    Args:
        imgs: Images ``(C, H, W)``.
        predict: Returns the results ``(N, ...)`` for images ``(N, C, H, W)``.

    Returns:
        The result of each image, in the order of `imgs`.
    """
    members: dict[tuple[int, ...], list[int]] = {}
    for i, img in enumerate(imgs):
        members.setdefault(img.shape, []).append(i)
    results: dict[int, Host] = {}
    for indices in members.values():
        results.update(zip(indices, predict(np.stack([imgs[i] for i in indices])), strict=True))
    return [results[i] for i in range(len(imgs))]
