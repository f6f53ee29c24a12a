"""Mirror images of pictures."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from renga_cv.utils.checks import require_image

__all__ = ["flip", "random_flip"]

Host = np.ndarray[Any, Any]


def flip(img: Host, y_flip: bool = False, x_flip: bool = False, copy: bool = False) -> Host:
    """Return a mirror image.

    Args:
        img: Image ``(C, H, W)``.
        y_flip: Mirror top and bottom.
        x_flip: Mirror left and right.
        copy: Return a copy. If False, a view.

    Returns:
        Image ``(C, H, W)``.

    Raises:
        InvalidType: `img` is not an image.

    >>> import numpy as np
    >>> flip(np.array([[[1.0, 2.0, 3.0]]]), x_flip=True).tolist()
    [[[3.0, 2.0, 1.0]]]
    """
    require_image("flip", img)
    flipped = img[:, :: -1 if y_flip else 1, :: -1 if x_flip else 1]
    return flipped.copy() if copy else flipped


def random_flip(
    img: Host, y_random: bool = False, x_random: bool = False, return_param: bool = False, copy: bool = False
) -> Any:
    """Return an image or, half of the time, its mirror image.

    Args:
        img: Image ``(C, H, W)``.
        y_random: Mirror top and bottom, half of the time.
        x_random: Mirror left and right, half of the time.
        return_param: Also return a dictionary. ``y_flip``, ``x_flip``: whether each was mirrored.
        copy: Return a copy. If False, a view.

    Returns:
        Image ``(C, H, W)``; with `return_param`, a pair.

    Raises:
        InvalidType: `img` is not an image.

    >>> import numpy as np
    >>> random_flip(np.zeros((3, 40, 60), np.float32), x_random=True).shape
    (3, 40, 60)
    """
    y_flip = y_random and random.choice((True, False))
    x_flip = x_random and random.choice((True, False))
    flipped = flip(img, y_flip, x_flip, copy)
    return (flipped, {"y_flip": y_flip, "x_flip": x_flip}) if return_param else flipped
