"""Mirror images."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from renga_cv.utils.checks import require_image

__all__ = ["flip", "random_flip"]

Host = np.ndarray[Any, Any]


def flip(img: Host, y_flip: bool = False, x_flip: bool = False, copy: bool = False) -> Host:
    """A mirror image.

    Args:
        img: Image ``(C, H, W)``.
        y_flip: Exchange top and bottom.
        x_flip: Exchange left and right.
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
    """An image or, every other time, its mirror image.

    Args:
        img: Image ``(C, H, W)``.
        y_random: Exchange top and bottom every other time, at random.
        x_random: Exchange left and right every other time, at random.
        return_param: Also return a dictionary. ``y_flip``, ``x_flip``: what was exchanged.
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
