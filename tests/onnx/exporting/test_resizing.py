"""`resize_images`, exported for images of any size."""

import numpy as np
import pytest

import renga.functions as F

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

from renga_onnx import export
from renga_onnx.checking import check

RULES = {
    "nearest": {"mode": "nearest"},
    "align corners": {"mode": "bilinear", "align_corners": True},
    "half pixel": {"mode": "bilinear", "align_corners": False},
}


def images(*shape):
    return np.random.default_rng(0).standard_normal((*shape[:1], 2, *shape[1:])).astype("float32")


@pytest.mark.parametrize("opset", [13, 21])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scale", [lambda n: 2 * n, lambda n: 6, lambda n: n + 3], ids=["twice", "six", "more"])
def test_any_size(rule, scale, opset):
    def network(x):
        return F.resize_images(x, tuple(map(scale, x.shape[2:])), **RULES[rule])

    shapes = ("batch", 2, "height", "width")
    model = export(network, images(2, 4, 5), input_shapes=shapes, opset_version=opset)
    for shape in ((2, 4, 5), (1, 7, 3), (3, 2, 11)):
        check(model, network, images(*shape), tolerance=1e-5)
