"""`Samples`: writes samples of the network during training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import no_backprop_mode
from renga_core.link import Link
from renga_core.training import PRIORITY_READER, Extension, TrainerLike
from renga_serializers.atomic import atomic_path, atomic_write
from renga_serializers.optional import require
from renga_training.extensions.moving_average import averaged

if TYPE_CHECKING:
    from renga_training.tasks.task import Task

__all__ = ["Samples", "page", "save_picture"]


class Samples(Extension):
    """Writes samples that the network generates (`Task.samples`): images to ``samples.png``, text to ``samples.txt``.

    Images need Pillow (``pip install 'renga[cv]'``). `renga train` passes the task, the link and the test data.

    Args:
        task: The task of the network.
        link: The trained link: the target of the task.
        examples: Data set; some of its examples are passed to the network.
        number: Number of examples.
        filename: Name of the file in the run's folder, without suffix.
    """

    trigger = (1, "epoch")
    priority = PRIORITY_READER
    on_every_rank = False

    def __init__(self, task: Task, link: Link, examples: Any, number: int = 50, filename: str = "samples") -> None:
        self._task = task
        self._link = link
        self._examples: Sequence[Any] = [examples[i] for i in islice(range(len(examples)), number)]
        self._filename = filename

    @property
    def default_name(self) -> str:
        """``"samples"``."""
        return "samples"

    def __call__(self, trainer: TrainerLike) -> None:
        """Write samples of the current network.

        Raises:
            RengaError: The task has no samples.
        """
        with using_config("train", False), no_backprop_mode(), averaged(trainer), self._task.evaluating(self._link):
            made = self._task.samples(self._link, self._examples)
        if made is None:
            raise RengaError(f"samples: task {type(self._task).__name__} has no samples. Leave this extension out.")
        if isinstance(made, str):
            with atomic_write(Path(trainer.out, f"{self._filename}.txt"), "w") as file:
                file.write(made + "\n")
        else:
            save_picture(Path(trainer.out, f"{self._filename}.png"), page(to_host(getattr(made, "array", made))))


def page(images: np.ndarray[Any, Any], columns: int | None = None) -> np.ndarray[Any, Any]:
    """Tile images in one picture, row by row, with lines between them.

    Args:
        images: ``(N, channels, height, width)`` with 1 or 3 channels, or ``(N, height, width)``; values in [0, 1].
        columns: Images in a row; None: about as many as there are rows, or a multiple of ten for 100 images or more.

    Returns:
        The picture, ``(height, width, channels)``.
    """
    if images.ndim == 3:
        images = images[:, None]
    number, channels, height, width = images.shape
    if columns is None:
        columns = math.ceil(math.sqrt(number))
        columns = -(-columns // 10) * 10 if number >= 100 else columns
    rows = math.ceil(number / columns)
    tiles = np.zeros((rows * columns, channels, height + 2, width + 2), np.float64)
    tiles[:number, :, 1:-1, 1:-1] = images
    tiles = tiles.reshape(rows, columns, channels, height + 2, width + 2)
    return tiles.transpose(0, 3, 1, 4, 2).reshape(rows * (height + 2), columns * (width + 2), channels)


def save_picture(path: Path, picture: np.ndarray[Any, Any]) -> None:
    """Save a picture ``(height, width, channels)`` as PNG; small ones are enlarged.

    Raises:
        RengaError: Pillow is not installed.
    """
    require("PIL", "samples", "cv")
    from PIL import Image

    pixels = np.round(255 * np.clip(picture, 0, 1)).astype(np.uint8)
    times = max(1, 400 // max(pixels.shape[:2]))
    pixels = pixels.repeat(times, 0).repeat(times, 1)
    with atomic_path(path) as temporary:
        Image.fromarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels).save(temporary, format="PNG")
