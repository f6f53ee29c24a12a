"""`get_image_files`: a folder of many or large images, with a subfolder for each class, read when requested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np

from renga_data.datasets.adjacent import adjacent
from renga_data.datasets.file_errors import check_growth, reading
from renga_data.datasets.image_dataset import require_pillow
from renga_data.datasets.image_folder import classes_in, files_in, moments, refuse_other_classes
from renga_data.datasets.two_stage_dataset import TwoStageDataset
from renga_data.preprocessing.image import ImagePreprocessing, height_and_width, read_pixels
from renga_data.preprocessing.split import Split, split_indices

__all__ = ["ImageFiles", "get_image_files", "random_part", "read_part"]

Host = np.ndarray[Any, Any]
Box = tuple[int, int, int, int]

_ATTEMPTS = 10
_SAMPLE = 256
"""Number of images from which mean and standard deviation are computed."""


class ImageFiles(TwoStageDataset):
    """Pairs of an image, float32 ``(channels, height, width)``, and its class, int32.

    The images of a batch are contiguous in memory, with channels last, so no converter has to copy them.

    Args:
        paths: Image files.
        labels: Their classes.
        preprocessing: Makes inputs from pixels.
        area: Smallest and largest fraction of an image's area for random crops; None: the whole image.
        flip: Whether images are mirrored horizontally at random, with probability 1/2.

    Raises:
        FileRefused: From indexing: a file is not an image, or is damaged; the message has its name.
        OSError: From indexing: a file cannot be read.
    """

    def __init__(
        self,
        paths: Sequence[str],
        labels: Host,
        preprocessing: ImagePreprocessing,
        area: tuple[float, float] | None = None,
        flip: bool = False,
    ) -> None:
        self._paths = paths
        self._labels = labels
        self._preprocessing = preprocessing
        self._area = area
        self._flip = flip
        scale = np.array(preprocessing.scale)
        rows = np.tile(np.stack([1 / (255 * scale), np.array(preprocessing.shift) / scale]), preprocessing.size[1])
        self._factors, self._shifts = rows.astype(np.float32)

    def __len__(self) -> int:
        return len(self._paths)

    def read_example(self, i: int, rng: np.random.Generator) -> tuple[Host, Any]:
        """Return the pixels of image `i`, uint8 ``(height, width, channels)``, and its class."""
        size, channels = self._preprocessing.size, self._preprocessing.channels
        if self._area is None:
            pixels = read_pixels(self._paths[i], size, channels).transpose(1, 2, 0)
        else:
            pixels = read_part(self._paths[i], size, channels, self._area, rng)
        if self._flip and rng.random() < 0.5:
            pixels = pixels[:, ::-1]
        return np.ascontiguousarray(pixels), self._labels[i]

    def finish_examples(self, read: Sequence[tuple[Host, Any]]) -> list[tuple[Host, Any]]:
        """Return normalized images, and their classes."""
        images = adjacent((len(read), *self._preprocessing.size, self._preprocessing.channels), np.float32)
        for image, (pixels, _) in zip(images, read, strict=True):
            # All channels together, row by row; one image stays in the cache meanwhile.
            rows = image.reshape(len(image), -1)
            rows[...] = pixels.reshape(rows.shape)
            rows *= self._factors
            rows -= self._shifts
        return [(image.transpose(2, 0, 1), label) for image, (_, label) in zip(images, read, strict=True)]


def get_image_files(
    path: str,
    size: int | tuple[int, int] = 224,
    mode: Literal["rgb", "grey"] = "rgb",
    area: tuple[float, float] | None = (0.08, 1.0),
    flip: bool = True,
    test_ratio: float = 0.2,
    test_path: str | None = None,
    seed: int = 0,
) -> Split:
    """Return (train, test) sets of the images in a folder with a subfolder for each class.

    Each image is read when it is requested: use the iterator ``multithread`` or ``multiprocess``, which read ahead
    while the network computes. Training images are cropped at random and resized to `size` (Szegedy et al. 2015, *Going
    Deeper with Convolutions*, 6); test images are shown whole, as in prediction. Each channel is scaled to mean 0 and
    standard deviation 1, computed from 256 training images. Hidden files are skipped; all others must be images. Needs
    Pillow (``pip install 'renga[cv]'``).

    Args:
        path: The folder. The names of its subfolders, in alphabetical order, are the classes.
        size: Height and width to resize to; or one number for both.
        mode: ``"rgb"``: three channels; ``"grey"``: one.
        area: Smallest and largest fraction of an image's area. The aspect ratio is from 3/4 to 4/3. None: the whole
            image.
        flip: Whether training images are mirrored horizontally at random.
        test_ratio: Fraction of the images of each class for testing.
        test_path: A folder of test images with the same classes; then all images of `path` are for training.
        seed: Seed for choosing the test images.

    Raises:
        RengaError: There are no classes, or a class has no images; a file is not an image; the folder for testing has
            another class.
        OSError: A folder or a file cannot be read.
        ValueError: `size` is less than 1, or `area` is not an interval within 0 (exclusive) to 1.

    See Also:
        `get_image_folder`, which keeps small images in memory.
    """
    if area is not None and not 0 < area[0] <= area[1] <= 1:
        raise ValueError(f"area must be the smallest and largest fraction of an image, in (0, 1], not {area}")
    require_pillow("get_image_files")
    height, width = height_and_width(size)
    channels = 1 if mode == "grey" else 3
    classes = classes_in(Path(path))
    paths, labels = _listed(Path(path), classes)
    if test_path is not None:
        refuse_other_classes(test_path, path, classes)
        train, test = (paths, labels), _listed(Path(test_path), classes)
    else:
        chosen = split_indices(len(paths), test_ratio, seed, labels.tolist())
        train, test = (([paths[i] for i in part], labels[part]) for part in chosen)
    sample = train[0][:: -(-len(train[0]) // _SAMPLE)]
    shift, scale = moments([read_pixels(file, (height, width), channels) for file in sample])
    made = ImagePreprocessing((height, width), channels, shift, scale, classes=classes)
    return Split(ImageFiles(*train, made, area, flip), ImageFiles(*test, made), made)


def _listed(path: Path, classes: tuple[str, ...]) -> tuple[list[str], Host]:
    """The files of each class, and their labels."""
    found = [(str(file), number) for number, name in enumerate(classes) for file in files_in(path, name)]
    return [file for file, _ in found], np.array([number for _, number in found], np.int32)


def read_part(
    path: str, size: tuple[int, int], channels: int, area: tuple[float, float], rng: np.random.Generator
) -> Host:
    """Read a random crop of an image file, resized: uint8 ``(height, width, channels)``.

    A JPEG file is decoded at 1/2, 1/4 or 1/8 of its size if the crop is still at least as large as `size`.

    Args:
        path: The file.
        size: Height and width of the result.
        channels: 1: grey; 3: red, green, blue.
        area: See `get_image_files`.
        rng: Random generator.

    Raises:
        FileRefused: The file is not an image, or is damaged; the message has its name.
        OSError: The file cannot be read.
    """
    from PIL import Image

    with open(path, "rb") as file:
        content = file.read()
    mode = "L" if channels == 1 else "RGB"
    with reading(path, "an image"), Image.open(BytesIO(content)) as image:
        check_growth(path, image.width * image.height * 4, len(content), free=1 << 27)
        whole = image.size
        left, top, right, bottom = random_part(whole, area, rng)
        # The size that the image needs so that its crop has the requested size.
        wanted = (
            math.ceil(whole[0] * size[1] / (right - left)),
            math.ceil(whole[1] * size[0] / (bottom - top)),
        )
        if wanted[0] <= whole[0] and wanted[1] <= whole[1]:
            image.draft(mode, wanted)
        x, y = image.width / whole[0], image.height / whole[1]
        pixels: Any = image if image.mode == mode else image.convert(mode)
        part = pixels.resize(
            (size[1], size[0]),
            Image.Resampling.BILINEAR,
            box=(left * x, top * y, right * x, bottom * y),
            reducing_gap=2.0,
        )
        array = np.asarray(part)
    return array[:, :, None] if channels == 1 else array


def random_part(whole: tuple[int, int], area: tuple[float, float], rng: np.random.Generator) -> Box:
    """Draw a crop of an image: left, top, right and bottom, in pixels.

    Areas and aspect ratios are drawn until a crop fits. After ten failures, it is the largest centered crop with an
    aspect ratio from 3/4 to 4/3.

    Args:
        whole: Width and height of the image.
        area: Smallest and largest area of the crop, as a fraction of the image's area.
        rng: Random generator.
    """
    width, height = whole
    for _ in range(_ATTEMPTS):
        pixels = rng.uniform(*area) * width * height
        ratio = math.exp(rng.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(pixels * ratio)), round(math.sqrt(pixels / ratio))
        if 0 < w <= width and 0 < h <= height:
            left, top = int(rng.integers(0, width - w + 1)), int(rng.integers(0, height - h + 1))
            return left, top, left + w, top + h
    w, h = max(1, min(width, round(height * 4 / 3))), max(1, min(height, round(width * 4 / 3)))
    left, top = (width - w) // 2, (height - h) // 2
    return left, top, left + w, top + h
