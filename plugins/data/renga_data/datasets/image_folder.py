"""`get_image_folder`: a folder of images, with a subfolder for each class, as a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.dataset import DatasetMixin
from renga_core.errors import RengaError
from renga_data.preprocessing.image import ImagePreprocessing, height_and_width, read_pixels
from renga_data.preprocessing.split import Split, split_indices

__all__ = ["ImageFolder", "classes_in", "files_in", "get_image_folder", "moments", "refuse_other_classes"]


class ImageFolder(DatasetMixin):
    """Pairs of a normalized image and its class.

    Args:
        pixels: Images, uint8 ``(channels, height, width)`` each.
        labels: Their classes, int32.
        preprocessing: Makes inputs from pixels.
        flip: Whether images are mirrored horizontally at random, with probability 1/2.
        crop: The largest random shift of an image in pixels, vertically and horizontally (He et al. 2016, *Deep
            Residual Learning*, 4.2: 4 of 32). Pixels that enter are black.
        distort: Whether brightness, contrast and colors are changed at random by up to 50 %, in random order (Howard
            2013, *Some Improvements on Deep CNN Based Image Classification*, 2).
    """

    def __init__(
        self,
        pixels: list[np.ndarray[Any, Any]],
        labels: np.ndarray[Any, Any],
        preprocessing: ImagePreprocessing,
        flip: bool = False,
        crop: int = 0,
        distort: bool = False,
    ) -> None:
        self._pixels = pixels
        self._labels = labels
        self._preprocessing = preprocessing
        self._flip, self._crop, self._distort = flip, crop, distort

    def __len__(self) -> int:
        return len(self._pixels)

    def get_example(self, i: int) -> tuple[np.ndarray[Any, Any], Any]:
        """Return image `i` and its class."""
        pixels = self._pixels[i]
        rng = random.generator(get_backend("numpy"))
        if self._flip and rng.random() < 0.5:
            pixels = pixels[:, :, ::-1]
        if self._crop:
            top, left = rng.integers(0, 2 * self._crop + 1, 2)
            wide = np.pad(pixels, ((0, 0), (self._crop, self._crop), (self._crop, self._crop)))
            pixels = wide[:, top : top + pixels.shape[1], left : left + pixels.shape[2]]
        if self._distort:
            pixels = _distorted(pixels, rng)
        return self._preprocessing.inputs(pixels), self._labels[i]


def get_image_folder(
    path: str,
    size: int | tuple[int, int],
    mode: Literal["rgb", "grey"] = "rgb",
    flip: bool = False,
    normalize: bool = True,
    test_ratio: float = 0.2,
    test_path: str | None = None,
    seed: int = 0,
    crop: int = 0,
    distort: bool = False,
) -> Split:
    """Return (train, test) sets of the images in a folder with a subfolder for each class.

    All images are read at the start, and kept in memory as bytes: 12 kB for a color image of 64 × 64 pixels. Hidden
    files are skipped; all others must be images. Needs Pillow (``pip install 'renga[cv]'``).

    Args:
        path: The folder. The names of its subfolders, in alphabetical order, are the classes.
        size: Height and width to resize to; or one number for both.
        mode: ``"rgb"``: three channels; ``"grey"``: one.
        flip: Whether training images are mirrored horizontally at random.
        normalize: Whether to scale each channel to mean 0 and standard deviation 1, computed from the training images;
            otherwise pixels are in [0, 1].
        test_ratio: Fraction of the images of each class for testing.
        test_path: A folder of test images with the same classes; then all images of `path` are for training.
        seed: Seed for choosing the test images.
        crop: The largest random shift of training images in pixels; see `ImageFolder`.
        distort: Whether brightness, contrast and colors of training images are changed; see `ImageFolder`.

    Raises:
        RengaError: There are no classes, or a class has no images; a file is not an image; the folder for testing has
            another class.
        OSError: A folder or a file cannot be read.
        ValueError: `size` is less than 1, or `crop` is negative.
    """
    if crop < 0:
        raise ValueError(f"crop must be a number of pixels, 0 or more, not {crop}")
    height, width = height_and_width(size)
    channels = 1 if mode == "grey" else 3
    classes = classes_in(Path(path))
    pixels, labels = _read(Path(path), classes, (height, width), channels)
    if test_path is not None:
        refuse_other_classes(test_path, path, classes)
        train, test = (pixels, labels), _read(Path(test_path), classes, (height, width), channels)
    else:
        chosen = split_indices(len(pixels), test_ratio, seed, labels.tolist())
        train, test = (([pixels[i] for i in part], labels[part]) for part in chosen)
    shift, scale = moments(train[0]) if normalize else ((0.0,) * channels, (1.0,) * channels)
    made = ImagePreprocessing((height, width), channels, shift, scale, classes=classes)
    return Split(ImageFolder(*train, made, flip, crop, distort), ImageFolder(*test, made), made)


def classes_in(path: Path) -> tuple[str, ...]:
    """The names of the subfolders, in alphabetical order. Raises `RengaError` if there are none."""
    if not path.is_dir():
        raise RengaError(f"{path} is not a folder. Next: give a folder with a subfolder of images for each class.")
    classes = tuple(sorted(each.name for each in path.iterdir() if each.is_dir() and not each.name.startswith(".")))
    if not classes:
        raise RengaError(f"{path} has no subfolders. It needs a subfolder of images for each class.")
    return classes


def refuse_other_classes(test_path: str, path: str, classes: tuple[str, ...]) -> None:
    """Raise `RengaError` if the test folder has a class that the training folder does not have."""
    for name in classes_in(Path(test_path)):
        if name not in classes:
            raise RengaError(f"{test_path} has a class {name!r}, which {path} does not have: {', '.join(classes)}")


def files_in(path: Path, name: str) -> list[Path]:
    """The files of a class, in alphabetical order. Raises `RengaError` if its folder is empty."""
    files = sorted(each for each in Path(path, name).glob("**/*") if each.is_file() and each.name[0] != ".")
    if not files and Path(path, name).is_dir():
        raise RengaError(f"{Path(path, name)} has no images in it. Next: fill or remove this folder.")
    return files


def _read(
    path: Path, classes: tuple[str, ...], size: tuple[int, int], channels: int
) -> tuple[list[np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    pixels, labels = [], []
    for number, name in enumerate(classes):
        for file in files_in(path, name):
            pixels.append(read_pixels(str(file), size, channels))
            labels.append(number)
    return pixels, np.array(labels, np.int32)


def moments(images: list[np.ndarray[Any, Any]]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation of each channel, of pixels from 0 to 1."""
    sums = sum(image.sum(axis=(1, 2), dtype=np.float64) for image in images)
    squares = sum((image.astype(np.float64) ** 2).sum(axis=(1, 2)) for image in images)
    count = sum(image[0].size for image in images)
    mean = np.asarray(sums) / count
    deviation = np.sqrt(np.maximum(np.asarray(squares) / count - mean**2, 0))
    return tuple((mean / 255).tolist()), tuple((np.where(deviation > 0, deviation, 255) / 255).tolist())


_GREY = np.array([0.299, 0.587, 0.114], np.float32).reshape(3, 1, 1)
"""The weights of red, green and blue in the brightness of a pixel (ITU-R BT.601)."""


def _distorted(pixels: np.ndarray[Any, Any], rng: Any) -> np.ndarray[Any, Any]:
    """Change brightness, contrast and saturation of uint8 pixels, each by a random factor."""
    image = pixels.astype(np.float32)
    for step in rng.permutation(3 if len(image) == 3 else 2):
        if step == 0:
            base: Any = np.float32(0)
        else:
            base = (image * _GREY).sum(axis=0) if len(image) == 3 else image
            base = base if step == 2 else base.mean()
        image = np.clip(base + np.float32(rng.uniform(0.5, 1.5)) * (image - base), 0, 255)
    made: np.ndarray[Any, Any] = np.round(image).astype(np.uint8)
    return made
