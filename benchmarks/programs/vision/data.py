"""Pictures, boxes and weights: the same numbers for Renga and for torchvision. NumPy 1.23 or newer."""

from __future__ import annotations

import math
import zlib

import numpy as np

__all__ = [
    "LEARNING_RATE",
    "MAX_SIZE",
    "MIN_SIZE",
    "SSD_SIZES",
    "block_input",
    "block_weights",
    "boxes_to_suppress",
    "candidates",
    "objects",
    "pictures",
    "regions",
    "weight",
]

MIN_SIZE, MAX_SIZE = 480, 800
"""Length of the shorter side of input images of Faster and Mask R-CNN, and limit of the longer side. They are smaller
than the usual 800 and 1333, so that a step takes less time."""
LEARNING_RATE = 1e-9
"""Learning rate. With random weights, the losses of detectors explode if it is larger."""
SSD_SIZES = (21, 45, 99, 153, 207, 261, 315)
"""Sides of the default boxes of torchvision's SSD300, in pixels."""
SIZE = 375, 500
"""Height and width of pictures, as most of PASCAL VOC's have."""
OBJECTS = 5
"""In each picture."""

# In training of a detector, most boxes are background. Random networks need a bias of the class scores to achieve this.
BACKGROUND = {
    "roi_heads.box_predictor.cls_score.bias": (91, 25.0),
    "head.classification_head": (21, 18.0),
}
"""Number of classes, and the bias of the background, for arrays whose names start with these prefixes."""
GAINS = {
    "fpn.inner_blocks": 0.001,  # the previous stages amplify their inputs
    "rpn.head.bbox_pred": 0.05,
    "box_predictor.cls_score": 2.4,
    "box_predictor.bbox_pred": 0.2,
    "regression_head": 0.1,
}
"""Factors for weights, by name of the array, so that boxes move by a fraction of their size."""


def weight(name, shape):
    """The array of a network of torchvision that its state calls `name`; float32.

    Filters are drawn so that with ReLU the variance stays the same from layer to layer (He et al. 2015). Batch
    normalizations have the mean 0 and the variance 1, and change nothing.
    """
    if name.endswith("scale_weight"):
        return np.full(shape, 20, np.float32)
    if len(shape) == 1:
        array = np.full(shape, name.endswith(("weight", "running_var")), np.float32)
        for start, (classes, bias) in BACKGROUND.items():
            if name.startswith(start):
                array[::classes] = bias
        return array
    gain = math.prod(value for part, value in GAINS.items() if part in name)
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    scale = gain * math.sqrt(2 / math.prod(shape[1:]))
    return rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)


def pictures(count):
    """Pictures of coloured patches, uint8 ``(3, H, W)``. Pure noise would look the same everywhere."""
    rng = np.random.default_rng(3)
    patches = rng.integers(0, 256, (count, 3, SIZE[0] // 25, SIZE[1] // 25), dtype=np.uint8)
    return list(patches.repeat(25, axis=2).repeat(25, axis=3))


def objects(count):
    """The objects of each of `count` pictures: boxes float32 ``(R, 4)``, y first, classes from 0 and masks (ellipses).

    Boxes lie inside the picture, and are at least 50 pixels high and wide.
    """
    rng = np.random.default_rng(4)
    found = []
    for _ in range(count):
        size = rng.uniform(50, 200, (OBJECTS, 2))
        start = rng.uniform(0, np.array(SIZE) - size)
        box = np.concatenate((start, start + size), axis=1).astype(np.float32)
        y, x = np.indices(SIZE)
        centre, half = start + size / 2, size / 2
        down, across = (y - centre[:, :1, None]) / half[:, :1, None], (x - centre[:, 1:, None]) / half[:, 1:, None]
        mask = down**2 + across**2 < 1
        found.append((box, rng.integers(0, 20, OBJECTS).astype(np.int32), mask))
    return found


def boxes_to_suppress(count):
    """Boxes float32 ``(count, 4)`` around a tenth as many objects; distinct scores, float32 ``(count,)``."""
    rng = np.random.default_rng(5)
    number = rng.integers(0, count // 10, count)
    start, size = rng.uniform(0, 1000, (count // 10, 2))[number], rng.uniform(30, 200, (count // 10, 2))[number]
    start, size = start + rng.normal(0, 0.1, (count, 2)) * size, size * np.exp(rng.normal(0, 0.1, (count, 2)))
    boxes = np.concatenate((start, start + size), axis=1).astype(np.float32)
    return boxes, rng.permutation(count).astype(np.float32) / count


def candidates():
    """Boxes of a detector, float32 ``(8732, 4)``, and their probabilities for 80 classes, float32 ``(8732, 80)``."""
    boxes, _ = boxes_to_suppress(8732)
    scores = np.random.default_rng(7).dirichlet(np.full(81, 0.3), 8732)[:, 1:]
    return boxes, scores.astype(np.float32)


def block_input(batch):
    """Maps for a block of MobileNetV2, float32 ``(batch, 24, 56, 56)``."""
    return np.random.default_rng(8).standard_normal((batch, 24, 56, 56), dtype=np.float32)


def block_weights():
    """Filters of the three convolutions of the block: 1 × 1 to 144 channels, depthwise 3 × 3, 1 × 1 to 24."""
    rng = np.random.default_rng(9)
    shapes = (144, 24, 1, 1), (144, 1, 3, 3), (24, 144, 1, 1)
    return [
        rng.standard_normal(shape, dtype=np.float32) * np.float32(math.sqrt(2 / math.prod(shape[1:])))
        for shape in shapes
    ]


def regions():
    """Features float32 (1, 256, 120, 160) of a picture of four times their size, and 1000 regions of it ``(R, 4)``."""
    rng = np.random.default_rng(6)
    start, size = rng.uniform(0, 300, (1000, 2)), rng.uniform(16, 160, (1000, 2))
    features = rng.standard_normal((1, 256, 120, 160), dtype=np.float32)
    return features, np.concatenate((start, start + size), axis=1).astype(np.float32)
