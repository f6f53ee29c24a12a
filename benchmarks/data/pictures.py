"""A folder of JPEG files to load."""

from __future__ import annotations

from pathlib import Path

import numpy as np

__all__ = ["make_pictures"]

CLASSES = 4


def make_pictures(folder: Path, number: int) -> None:
    """Make a folder of pictures with sides of 256 to 500 pixels, unless it exists: smooth colours, and noise.

    Args:
        folder: Gets a folder for each of four classes.
        number: Number of pictures.
    """
    from PIL import Image

    if len(list(folder.glob("*/*.jpg"))) == number:
        return
    rng = np.random.default_rng(0)
    for i in range(number):
        height, width = rng.integers(256, 501, 2)
        colours = Image.fromarray(rng.integers(0, 256, (12, 12, 3), np.uint8))
        smooth = np.asarray(colours.resize((int(width), int(height)), Image.Resampling.BICUBIC), np.float32)
        noisy = smooth + rng.normal(0, 8, (height, width, 1))
        of_class = folder / f"class{i % CLASSES}"
        of_class.mkdir(parents=True, exist_ok=True)
        Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(of_class / f"{i:05d}.jpg", quality=90)
