"""Detectors, exported with decoding and non-maximum suppression, find the same in onnxruntime and loaded again."""

import numpy as np
import pytest

import renga
import renga.functions as F

onnx = pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
ort = pytest.importorskip("onnxruntime", reason="pip install onnxruntime")
pytest.importorskip("PIL", reason="pip install pillow")

from detectors import DETECTORS, PICTURES, found, same_objects, small  # noqa: E402

from renga_onnx import export  # noqa: E402
from renga_onnx.load import load  # noqa: E402

OPSETS = (13, 15, 16, 17, 18, 20, 21)
"""Each detector is written in one of them; `test_opsets` writes one in all."""


def in_onnxruntime(path, inputs):
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    outputs = session.run(None, inputs)
    return dict(zip([each.name for each in session.get_outputs()], outputs, strict=True))


def gradients(link, objects):
    link.cleargrads()
    (F.sum(objects["boxes"]) * 0.01 + F.sum(objects["scores"])).backward()
    return {path.strip("/"): parameter.grad for path, parameter in link.namedparams()}


def check(detector, path, opset, pictures=PICTURES):
    """Trace with the first picture; compare all."""
    assert len(found(detector, pictures[0])["scores"])
    model = export(detector.detect, detector.detect_inputs(pictures[0]), path, opset_version=opset)
    onnx.checker.check_model(path, full_check=True)
    loaded = load(path)
    names = [each.name for each in model.graph.output]
    with renga.using_config("train", False):
        for picture in pictures:
            inputs, right = detector.detect_inputs(picture), found(detector, picture)
            same_objects(in_onnxruntime(path, inputs), right)
            with renga.no_backprop_mode():
                same_objects({name: y.array for name, y in zip(names, loaded(**inputs), strict=True)}, right)
        inputs = detector.detect_inputs(pictures[0])
        wanted = gradients(detector, detector.detect(**inputs))
        again = gradients(loaded, dict(zip(names, loaded(**inputs), strict=True)))
    again = {loaded.names[name]: gradient for name, gradient in again.items()}
    stored = {each.name for each in model.graph.initializer}
    assert sum(gradient is not None for gradient in wanted.values()) > 3
    for name, gradient in wanted.items():
        if gradient is None:
            assert again.get(name) is None
        else:
            assert name in stored
            scale = max(abs(gradient).max(), 1e-6)
            np.testing.assert_allclose(again[name], gradient, rtol=1e-3, atol=1e-3 * scale, err_msg=name)


@pytest.mark.parametrize(("name", "opset"), list(zip(DETECTORS, OPSETS, strict=True)))
def test_it_finds_the_same(name, opset, tmp_path):
    check(small(name), tmp_path / "detector.onnx", opset)


@pytest.mark.parametrize("opset", [13, 14, 16, 18, 19, 21])
def test_opsets(opset, tmp_path):
    detector, path = small("Faster R-CNN"), tmp_path / "detector.onnx"
    export(detector.detect, detector.detect_inputs(PICTURES[0]), path, opset_version=opset)
    for picture in PICTURES[:3]:
        same_objects(in_onnxruntime(path, detector.detect_inputs(picture)), found(detector, picture))


@pytest.mark.parametrize("name", DETECTORS)
def test_whatever_it_is_traced_with(name, tmp_path):
    """A picture in which nothing is found will do."""
    detector, path = small(name), tmp_path / "detector.onnx"
    export(detector.detect, detector.detect_inputs(PICTURES[1]), path)
    same_objects(in_onnxruntime(path, detector.detect_inputs(PICTURES[0])), found(detector, PICTURES[0]))


def test_images_of_any_size(tmp_path):
    """On a pyramid: the axes of the image are named."""
    detector, path = small("Mask R-CNN on a pyramid"), tmp_path / "detector.onnx"
    shapes = {"image": (1, 3, "height", "width"), "size": (2,)}
    export(detector.detect, detector.detect_inputs(PICTURES[0]), path, input_shapes=shapes)
    tall = np.ascontiguousarray(PICTURES[3].transpose(0, 2, 1))
    for picture in (PICTURES[0], tall, PICTURES[2][:, :, :40], PICTURES[2][:, :20]):
        inputs = detector.detect_inputs(picture)
        same_objects(in_onnxruntime(path, inputs), found(detector, picture))


def test_outputs_have_names():
    detector = small("small instance segmenter")
    model = export(detector.detect, detector.detect_inputs(PICTURES[0]))
    shapes = {
        each.name: [axis.dim_param or axis.dim_value for axis in each.type.tensor_type.shape.dim]
        for each in model.graph.output
    }
    objects = shapes["labels"][0]
    assert isinstance(objects, str)
    assert shapes == {
        "boxes": [objects, 4],
        "labels": [objects],
        "scores": [objects],
        "masks": [objects, "height", "width"],
    }


def test_equal_scores(tmp_path):
    """Of boxes of one class with the same score, `predict` prefers the last one."""
    detector, path = small("YOLOv2"), tmp_path / "detector.onnx"
    detector.subnet.W.array[:] = 0
    detector.score_thresh = 0.1
    picture = PICTURES[0]
    right = found(detector, picture)
    assert len(set(right["scores"])) == 1
    assert len(right["scores"]) > 6
    export(detector.detect, detector.detect_inputs(picture), path)
    result = in_onnxruntime(path, detector.detect_inputs(picture))
    for name, value in right.items():
        np.testing.assert_allclose(result[name], value, rtol=1e-5)
