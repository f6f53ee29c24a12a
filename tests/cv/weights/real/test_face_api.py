"""face-api.js' detector of faces."""

import pytest
from packages import PHOTOGRAPHS, Package

WEIGHTS = Package(
    "npm",
    "face-api.js",
    "0.10.0",
    ("package/weights_uncompressed/tiny_yolov2_model.weights",),
    "0dffee286462e1cae48fc709a1decc8eaadabd1259f0c22452be42b4143ce438",
)


def test_it_finds_the_face_of_the_astronaut_and_none_of_the_cat(predict):
    cat, _, astronaut, _ = PHOTOGRAPHS.paths()
    found = predict("yolo_v2_tiny", *WEIGHTS.paths(), [cat, astronaut], "--set", "model.n_out=1")
    (face,) = found["astronaut"]
    assert not found["chelsea"]
    assert face["score"] == pytest.approx(0.86, abs=0.02)
    assert face["box"] == pytest.approx([70, 166, 170, 285], abs=6)
