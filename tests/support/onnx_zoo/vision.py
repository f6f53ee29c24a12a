"""Networks for image classification and segmentation."""

from __future__ import annotations

import renga.cv.links as C
from onnx_zoo.model import Input, Model
from renga_nn.models import LeNet

__all__ = ["MODELS"]

IMAGES = Input(("batch", 3, "height", "width"))
SIZES = {"batch": 1, "height": 64, "width": 64}, {"batch": 2, "height": 96, "width": 64}
SMALL_SIZES = {"batch": 1, "height": 32, "width": 32}, {"batch": 2, "height": 48, "width": 32}
DEEP = 1e-4
"""Tolerance for fifty or more layers: both Renga and onnxruntime differ from float64 by 1e-5 to 5e-5."""


MODELS = {
    "LeNet": Model(lambda: LeNet(n_channels=6, n_units=20), [Input(("batch", 1, 12, 12))], {"batch": 2}, {"batch": 3}),
    "ResNet50": Model(
        lambda: C.ResNet50(n_class=5, arch="torch"),
        [IMAGES],
        *SIZES,
        tolerance=DEEP,
    ),
    "MobileNetV2": Model(
        lambda: C.MobileNetV2(n_class=5, arch="torch", depth_multiplier=0.5),
        [IMAGES],
        *SIZES,
    ),
    "SegNet": Model(
        lambda: C.SegNetBasic(n_class=4),
        [IMAGES],
        *SMALL_SIZES,
    ),
    "DeepLab v3, MobileNetV2": Model(
        lambda: C.DeepLabV3MobileNetV2(n_class=4, depth_multiplier=0.5),
        [IMAGES],
        *SMALL_SIZES,
        tolerance=DEEP,
    ),
    "DeepLab v3+, Xception65": Model(
        lambda: C.DeepLabV3plusXception65(n_class=4),
        [IMAGES],
        *SIZES,
        tolerance=DEEP,
        slow=True,
    ),
}
