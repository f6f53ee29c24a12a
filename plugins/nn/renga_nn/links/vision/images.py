"""Converting images to arrays for networks trained with Caffe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["as_network_input", "ten_crops"]

Host = np.ndarray[Any, Any]


def as_network_input(image: Any, size: tuple[int, int] | None, mean: Sequence[float]) -> Host:
    """Return an image with channels first, in the order blue, green, red, minus the mean of each channel.

    Args:
        image: A Pillow image; or an array ``(H, W)``, ``(H, W, 1 or 3)`` or ``(1 or 3, H, W)`` of numbers from 0 to
            255, in the order red, green, blue.
        size: Width and height to resize to; None: do not resize. Resizing needs Pillow.
        mean: What to subtract: blue, green, red.

    Returns:
        float32 ``(3, height, width)``.

    Raises:
        ValueError: The array has another shape.
        ImportError: Pillow is not installed.
    """
    if isinstance(image, np.ndarray):
        pixels = _pixels(image)
        if size is not None and (pixels.shape[1], pixels.shape[0]) != tuple(size):
            pixels = _resized(_pillow().fromarray(pixels), size)
    else:
        picture = image.convert("RGB")
        pixels = np.asarray(picture) if size is None else _resized(picture, size)
    centered = pixels[:, :, ::-1].astype(np.float32) - np.array(mean, np.float32)
    return np.ascontiguousarray(centered.transpose(2, 0, 1))


def ten_crops(x: Host, size: tuple[int, int]) -> Host:
    """Crop the center and the four corners of each image, and mirror them.

    Args:
        x: Images ``(N, C, H, W)``.
        size: Height and width of the crops.

    Returns:
        Images ``(10 N, C, *size)``, ten for each image.
    """
    height, width = size
    bottom, right = x.shape[2] - height, x.shape[3] - width
    corners = [(bottom // 2, right // 2), (0, 0), (0, right), (bottom, 0), (bottom, right)]
    crops = [x[:, :, top : top + height, left : left + width] for top, left in corners]
    crops += [crop[:, :, :, ::-1] for crop in crops]
    return np.stack(crops, axis=1).reshape(-1, x.shape[1], height, width)


def _pixels(image: Host) -> Host:
    """Return an array of a supported shape as bytes ``(H, W, 3)``."""
    if image.ndim == 3 and image.shape[0] in (1, 3) and image.shape[2] not in (1, 3):
        image = image.transpose(1, 2, 0)
    elif image.ndim == 2:
        image = image[:, :, None]
    if image.ndim != 3 or image.shape[2] not in (1, 3):
        raise ValueError(f"an image must be (H, W), (H, W, 3) or (3, H, W), with 1 or 3 channels; not {image.shape}")
    return np.broadcast_to(image, (*image.shape[:2], 3)).astype(np.uint8)


def _resized(picture: Any, size: tuple[int, int]) -> Host:
    return np.asarray(picture.resize(size))


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("resizing an array needs Pillow: pip install renga[cv]. Or pass size=None.") from error
    return Image
