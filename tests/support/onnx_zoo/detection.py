"""Networks that find objects: with decoding of boxes, and non-maximum suppression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from detectors import DETECTORS, spread_out

import renga
import renga.cv.links as C
from onnx_zoo.model import Input, Model
from onnx_zoo.vision import DEEP

__all__ = ["MODELS"]

SIZE = Input((2,), below=81, least=40, integers=np.int64)
OBJECTS = 20


class Objects(renga.Chain):
    """Detections: boxes, classes, scores, and masks if available.

    Args:
        detector: Its score threshold is set so that about twenty objects of the first image pass.
    """

    def __init__(self, detector: Any) -> None:
        super().__init__()
        with self.init_scope():
            self.detector = detector
        self.is_ready = False

    def forward(self, image: Any, size: Any) -> tuple[Any, ...]:
        if not self.is_ready:
            self.is_ready = True
            if not hasattr(self.detector, "insize"):
                spread_out(self.detector)
            self.detector.score_thresh = 0.0
            scores = np.sort(self.detector.detect(image, size)["scores"].array)
            self.detector.score_thresh = float(scores[-OBJECTS - 1 : -OBJECTS + 1].mean())
        return tuple(self.detector.detect(image, size).values())


def _small(name: str) -> Callable[[], renga.Link]:
    return lambda: Objects(DETECTORS[name]())


def _square(edge: int, scale: float) -> list[Input]:
    return [Input((1, 3, edge, edge), scale=scale), SIZE]


PICTURES = [Input((1, 3, "height", "width"), scale=64), SIZE]
SIZES = {"height": 96, "width": 128}, {"height": 128, "width": 96}

MODELS = {
    "SSD, small": Model(_small("small detector"), _square(32, 64), {}, {}),
    "YOLOv3, small": Model(_small("YOLOv3"), _square(32, 1), {}, {}),
    "Faster R-CNN FPN, small": Model(_small("Faster R-CNN on a pyramid"), PICTURES, *SIZES, tolerance=DEEP),
    "Mask R-CNN FPN, small": Model(_small("Mask R-CNN on a pyramid"), PICTURES, *SIZES, tolerance=DEEP),
    "SSD300": Model(lambda: Objects(C.SSD300(n_fg_class=3)), _square(300, 64), {}, {}, slow=True),
    "YOLOv3": Model(lambda: Objects(C.YOLOv3(n_fg_class=3)), _square(416, 1), {}, {}, tolerance=DEEP, slow=True),
    "Faster R-CNN FPN": Model(
        lambda: Objects(C.FasterRCNNFPNResNet50(n_fg_class=3, min_size=96, max_size=128)),
        PICTURES,
        *SIZES,
        tolerance=DEEP,
        slow=True,
    ),
    "Mask R-CNN FPN": Model(
        lambda: Objects(C.MaskRCNNFPNResNet50(n_fg_class=3, min_size=96, max_size=128)),
        PICTURES,
        *SIZES,
        tolerance=DEEP,
        slow=True,
    ),
}
