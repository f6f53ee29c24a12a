"""Scenes of digits as data sets."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from renga_core.dataset import DatasetMixin
from renga_cv.datasets.digit_scenes.scene import Scene, draw_scene
from renga_cv.utils.mask import mask_to_bbox
from renga_data.datasets.digits import get_digits
from renga_data.preprocessing import PicturePreprocessing, Split

__all__ = ["DigitScenes", "digit_label_names", "get_digit_scenes"]

Array = np.ndarray[Any, Any]
Annotation = Literal["boxes", "pixels", "masks"]

digit_label_names = tuple("0123456789")
"""The name of each class: the digit itself."""


class DigitScenes(DatasetMixin):
    """Scenes of several digits. Each is drawn on first access, with its own random numbers.

    `annotation` chooses what an example contains:

    - ``"boxes"``: image, boxes float32 (R, 4), labels int32 (R,);
    - ``"pixels"``: image, label of each pixel int32 (H, W): 0 is the background, 1 the digit 0, … 10 the digit 9;
    - ``"masks"``: image, masks bool (R, H, W), labels int32 (R,).

    An image is float32 (3, H, W), RGB, from 0 to 255. Boxes fit the masks tightly: y_min, x_min, y_max, x_max.

    Args:
        digits: The digits to choose from, (N, 8, 8), from 0 to 1.
        labels: The classes of the digits, (N,).
        number: How many scenes.
        annotation: What an example contains besides the image.
        size: Height and width, in pixels.
        digits_a_scene: Smallest and largest number of digits of a scene; fewer if they do not fit.
        seed: The same seed gives the same scenes.

    Raises:
        ValueError: An argument is out of range.
    """

    def __init__(
        self,
        digits: Array,
        labels: Array,
        number: int,
        annotation: Annotation = "boxes",
        size: int = 64,
        digits_a_scene: tuple[int, int] = (2, 5),
        seed: int = 0,
    ) -> None:
        if annotation not in ("boxes", "pixels", "masks"):
            raise ValueError(f"annotation must be 'boxes', 'pixels' or 'masks', not {annotation!r}")
        if number < 1 or size < 32:
            raise ValueError(f"number must be at least 1 and size at least 32 pixels, not {number} and {size}")
        if not 1 <= digits_a_scene[0] <= digits_a_scene[1]:
            raise ValueError(f"digits_a_scene must be (least, most), at least (1, 1), not {digits_a_scene}")
        self._digits, self._labels = digits, labels
        self._annotation, self._size, self._digits_a_scene, self._seed = annotation, size, digits_a_scene, seed
        self._scenes: list[Scene | None] = [None] * number

    def __len__(self) -> int:
        return len(self._scenes)

    def get_example(self, i: int) -> tuple[Array, ...]:
        """Return the image of scene `i` and its annotation; negative numbers count from the end."""
        scene = self._scenes[i]
        if scene is None:
            rng = np.random.default_rng([self._seed, i % len(self)])
            scene = draw_scene(rng, self._digits, self._labels, self._size, *self._digits_a_scene)
            self._scenes[i] = scene
        image = scene.image.astype(np.float32)
        if self._annotation == "boxes":
            return image, mask_to_bbox(scene.masks), scene.labels.copy()
        if self._annotation == "masks":
            return image, scene.masks.copy(), scene.labels.copy()
        # A pixel belongs to one digit at most.
        return image, ((scene.labels + 1)[:, None, None] * scene.masks).sum(0, dtype=np.int32)


def get_digit_scenes(
    target_type: Annotation = "boxes",
    number: int = 2000,
    test_number: int = 400,
    size: int = 64,
    digits_a_scene: tuple[int, int] = (2, 5),
    seed: int = 0,
) -> Split:
    """Return (train, test) sets of scenes with handwritten digits: 2000 and 400 of 64 × 64 pixels.

    Training and test scenes share no digit: each set uses its own part of `get_digits`. Needs no download.

    Args:
        target_type: What examples contain besides the image, see `DigitScenes`. In a run, the task sets it.
        number: Number of training scenes.
        test_number: Number of test scenes.
        size: Height and width, in pixels.
        digits_a_scene: Smallest and largest number of digits of a scene.
        seed: The same seed gives the same scenes.

    Raises:
        ValueError: An argument is out of range.
    """
    made = []
    for part, digits in enumerate(get_digits(ndim=2, dtype=np.float32)):
        ink, labels = (np.stack(values) for values in zip(*digits, strict=True))
        # Gives the two parts different seeds, also for neighbouring values of `seed`.
        own = 2 * seed + part
        made.append(DigitScenes(ink, labels, (number, test_number)[part], target_type, size, digits_a_scene, own))
    names = (("background",) if target_type == "pixels" else ()) + digit_label_names
    return Split(made[0], made[1], PicturePreprocessing(names))
