"""Random changes of training pictures, together with their boxes, masks or labels."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga_cv.links.model.ssd.transforms import random_crop_with_bbox_constraints, random_distort
from renga_cv.transforms.bbox import crop_bbox, flip_bbox, resize_bbox, translate_bbox
from renga_cv.transforms.image.flip import flip
from renga_cv.transforms.image.resize import resize
from renga_cv.utils.mask import mask_to_bbox, resize_mask

__all__ = ["Variation"]

Array = np.ndarray[Any, Any]

_IGNORED = -1
"""The class of ignored pixels."""


@dataclass(frozen=True)
class Variation:
    """Changes a picture and its annotation. Uses Python's `random`.

    The order is that of SSD: colours, scale, crop, mirror image.

    Attributes:
        flip: Mirror left and right, half of the time.
        crop: Crop to a part that contains some of the objects (Liu et al. 2016, SSD, 2.2). Objects whose centre is in
            the part are kept. The part is smaller than the picture.
        distort: Brightness, contrast, saturation and hue are changed, each half of the time (Howard 2013).
        scale: Resize the picture by a random factor in this range, inside a frame of the old size (Zhao et al. 2017,
            PSPNet, 5.1; Liu et al. 2016, 3.6). Parts outside the frame are cut off; empty parts get the mean colour.

    Raises:
        ValueError: The scale is not a range of positive numbers.
    """

    flip: bool = False
    crop: bool = False
    distort: bool = False
    scale: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        if not 0 < self.scale[0] <= self.scale[1]:
            raise ValueError(f"scale is [least, most], both positive, such as [0.5, 2], not {list(self.scale)}")

    def objects(self, image: Array, truth: Array, labels: Array) -> tuple[Array, Array, Array]:
        """Change a picture and its objects.

        Args:
            image: ``(3, H, W)``, float32 from 0 to 255.
            truth: Boxes, float32 ``(R, 4)``; or masks, bool ``(R, H, W)``.
            labels: The classes, int32 ``(R,)``.

        Returns:
            The changed picture, boxes or masks, and labels, without objects that were cut off.
        """
        if self.distort:
            image = random_distort(image)
        if self.scale != (1, 1):
            frame = _Frame.draw(image.shape[1:], self.scale)
            image = frame.image(image)
            truth, labels = _inside(frame.truth(truth), labels, image.shape[1:])
        if self.crop:
            boxes = truth if truth.ndim == 2 else mask_to_bbox(truth)
            image, where = random_crop_with_bbox_constraints(image, boxes, return_param=True)
            truth, labels = _part(truth, labels, where["y_slice"], where["x_slice"])
        if self.flip and random.randrange(2):
            image = flip(image, x_flip=True)
            boxes = truth.ndim == 2
            truth = flip_bbox(truth, image.shape[1:], x_flip=True) if boxes else truth[:, :, ::-1]
        return image, truth, labels

    def pixels(self, image: Array, label: Array) -> tuple[Array, Array]:
        """Change a picture and the class of each pixel. Its size stays, so `crop` has no effect.

        Args:
            image: ``(3, H, W)``, float32 from 0 to 255.
            label: The class of each pixel, int32 ``(H, W)``.

        Returns:
            The changed picture and labels. Pixels outside the old picture have the ignored class -1.
        """
        if self.distort:
            image = random_distort(image)
        if self.scale != (1, 1):
            frame = _Frame.draw(image.shape[1:], self.scale)
            image, label = frame.image(image), frame.pixels(label)
        if self.flip and random.randrange(2):
            image, label = flip(image, x_flip=True), label[:, ::-1]
        return image, label


@dataclass(frozen=True)
class _Frame:
    """The place of a resized picture in a frame of its old size.

    Attributes:
        size: Height and width of the frame.
        scaled: Height and width of the resized picture.
        offset: The position of its corner in the frame; negative if it lies outside.
    """

    size: tuple[int, int]
    scaled: tuple[int, int]
    offset: tuple[int, int]

    @classmethod
    def draw(cls, size: tuple[int, ...], scale: tuple[float, float]) -> _Frame:
        """Return a frame with a random factor and place."""
        factor = random.uniform(*scale)
        height, width = (max(1, round(edge * factor)) for edge in size)
        top, left = (random.randint(*sorted((0, edge - to))) for edge, to in zip(size, (height, width), strict=True))
        return cls((size[0], size[1]), (height, width), (top, left))

    def image(self, image: Array) -> Array:
        """Return the picture in the frame."""
        made = np.empty_like(image)
        made[:] = image.mean(axis=(1, 2), keepdims=True)
        return self._place(resize(image, self.scaled), made)

    def truth(self, truth: Array) -> Array:
        """Return the moved boxes (not clipped) or masks."""
        if truth.ndim == 2:
            return translate_bbox(resize_bbox(truth, self.size, self.scaled), *self.offset)
        return self._place(resize_mask(truth, self.scaled), np.zeros_like(truth))

    def pixels(self, label: Array) -> Array:
        """Return the moved class of each pixel."""
        classes = np.unique(label)
        masks = resize_mask(label == classes[:, None, None], self.scaled)
        return self._place(classes[masks.argmax(axis=0)], np.full_like(label, _IGNORED))

    def _place(self, scaled: Array, made: Array) -> Array:
        """Copy the scaled array into the frame."""
        to, of = [], []
        for edge, length, begin in zip(self.size, self.scaled, self.offset, strict=True):
            to.append(slice(max(begin, 0), min(begin + length, edge)))
            of.append(slice(to[-1].start - begin, to[-1].stop - begin))
        made[..., to[0], to[1]] = scaled[..., of[0], of[1]]
        return made


def _inside(truth: Array, labels: Array, size: tuple[int, ...]) -> tuple[Array, Array]:
    """Clip objects to a frame."""
    return _part(truth, labels, slice(0, size[0]), slice(0, size[1]))


def _part(truth: Array, labels: Array, y: slice, x: slice) -> tuple[Array, Array]:
    """Return the boxes or masks whose centre lies in a part of a picture."""
    if truth.ndim == 2:
        boxes, param = crop_bbox(truth, y, x, allow_outside_center=False, return_param=True)
        return boxes, labels[param["index"]]
    _, param = crop_bbox(mask_to_bbox(truth), y, x, allow_outside_center=False, return_param=True)
    masks = truth[param["index"], y, x]
    covers = masks.any(axis=(1, 2))
    return masks[covers], labels[param["index"]][covers]
