"""Pictures that are changed at random while training, and what is in them with them."""

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
"""The class of pixels that do not count."""


@dataclass(frozen=True)
class Variation:
    """How a picture is changed, and what is in it with it. Random numbers are of Python's `random`.

    In this order, as of SSD: colours, scale, part of the picture, mirror image.

    Attributes:
        flip: Left and right are exchanged every other time.
        crop: A part of the picture is taken that has some of its objects (Liu et al. 2016, SSD, 2.2); of objects, those
            stay whose centre is in it. The part is smaller than the picture.
        distort: Brightness, contrast, saturation and hue are changed, each every other time (Howard 2013).
        scale: The picture is made larger or smaller by a factor between these two, in a frame of the size that it had
            (Zhao et al. 2017, PSPNet, 5.1; Liu et al. 2016, 3.6). What sticks out is cut off, and what is left of the
            frame has the picture's mean colour.

    Raises:
        ValueError: The scale is not from a positive number to one as large.
    """

    flip: bool = False
    crop: bool = False
    distort: bool = False
    scale: tuple[float, float] = (1.0, 1.0)

    def __post_init__(self) -> None:
        if not 0 < self.scale[0] <= self.scale[1]:
            raise ValueError(f"scale is [least, most], both positive, such as [0.5, 2], not {list(self.scale)}")

    def objects(self, image: Array, truth: Array, labels: Array) -> tuple[Array, Array, Array]:
        """Change a picture with objects.

        Args:
            image: ``(3, H, W)``, float32 from 0 to 255.
            truth: Boxes, float32 ``(R, 4)``; or masks, bool ``(R, H, W)``.
            labels: Their classes, int32 ``(R,)``.

        Returns:
            The same of the picture as it was changed. Objects that are no longer in it are left out.
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
        """Change a picture whose pixels have classes. Its size stays, so `crop` has no part in it.

        Args:
            image: ``(3, H, W)``, float32 from 0 to 255.
            label: The class of each pixel, int32 ``(H, W)``.

        Returns:
            The same of the picture as it was changed; the class is -1, which does not count, outside of the picture.
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
    """Where a resized picture lies in a frame of the size that it had.

    Attributes:
        size: Height and width of the frame.
        scaled: Of the resized picture.
        offset: Of its corner in the frame; negative where it sticks out.
    """

    size: tuple[int, int]
    scaled: tuple[int, int]
    offset: tuple[int, int]

    @classmethod
    def draw(cls, size: tuple[int, ...], scale: tuple[float, float]) -> _Frame:
        """A frame for a picture of a size, with a factor and a place drawn at random."""
        factor = random.uniform(*scale)
        height, width = (max(1, round(edge * factor)) for edge in size)
        top, left = (random.randint(*sorted((0, edge - to))) for edge, to in zip(size, (height, width), strict=True))
        return cls((size[0], size[1]), (height, width), (top, left))

    def image(self, image: Array) -> Array:
        """The picture in the frame."""
        made = np.empty_like(image)
        made[:] = image.mean(axis=(1, 2), keepdims=True)
        return self._place(resize(image, self.scaled), made)

    def truth(self, truth: Array) -> Array:
        """Boxes, which may stick out, or masks of what is in it."""
        if truth.ndim == 2:
            return translate_bbox(resize_bbox(truth, self.size, self.scaled), *self.offset)
        return self._place(resize_mask(truth, self.scaled), np.zeros_like(truth))

    def pixels(self, label: Array) -> Array:
        """The class of each pixel."""
        classes = np.unique(label)
        masks = resize_mask(label == classes[:, None, None], self.scaled)
        return self._place(classes[masks.argmax(axis=0)], np.full_like(label, _IGNORED))

    def _place(self, scaled: Array, made: Array) -> Array:
        """Write what was scaled where it lies."""
        to, of = [], []
        for edge, length, begin in zip(self.size, self.scaled, self.offset, strict=True):
            to.append(slice(max(begin, 0), min(begin + length, edge)))
            of.append(slice(to[-1].start - begin, to[-1].stop - begin))
        made[..., to[0], to[1]] = scaled[..., of[0], of[1]]
        return made


def _inside(truth: Array, labels: Array, size: tuple[int, ...]) -> tuple[Array, Array]:
    """What is left of objects in a frame."""
    return _part(truth, labels, slice(0, size[0]), slice(0, size[1]))


def _part(truth: Array, labels: Array, y: slice, x: slice) -> tuple[Array, Array]:
    """Boxes or masks of the objects whose centre is in a part of a picture."""
    if truth.ndim == 2:
        boxes, param = crop_bbox(truth, y, x, allow_outside_center=False, return_param=True)
        return boxes, labels[param["index"]]
    _, param = crop_bbox(mask_to_bbox(truth), y, x, allow_outside_center=False, return_param=True)
    masks = truth[param["index"], y, x]
    covers = masks.any(axis=(1, 2))
    return masks[covers], labels[param["index"]][covers]
