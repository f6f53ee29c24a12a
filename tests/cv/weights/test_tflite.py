"""TensorFlow Lite: files, and DeepLab v3 on MobileNetV2 with weights of one."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.configuration import using_config
from renga_core.serializers import FileDamaged, FileRefused
from renga_cv.links.model.deeplab.deeplab_v3_mobilenet_v2 import DeepLabV3MobileNetV2
from renga_cv.links.model.mobilenet.mobilenet_v2 import BLOCKS
from renga_cv.weights.convert import RECIPES, convert_weights
from renga_cv.weights.tflite import read_tflite


class Writer:
    """A FlatBuffer: what is referred to comes later in the file than who refers to it."""

    def __init__(self):
        self.data = bytearray(b"\0\0\0\0TFL3")

    def table(self, fields):
        """Fields by number: bytes, or a function that writes what is referred to and returns where."""
        inner = {number: value if isinstance(value, bytes) else bytes(4) for number, value in fields.items()}
        offsets, size = [0] * (max(fields, default=-1) + 1), 4
        for number, value in inner.items():
            offsets[number], size = size, size + len(value)
        start = len(self.data)
        self.data += struct.pack(f"<{2 + len(offsets)}H", 4 + 2 * len(offsets), size, *offsets)
        at = len(self.data)
        self.data += struct.pack("<i", at - start) + b"".join(inner.values())
        for number, value in fields.items():
            if not isinstance(value, bytes):
                self.refer(at + offsets[number], value())
        return at

    def refer(self, place, to):
        self.data[place : place + 4] = struct.pack("<I", to - place)

    def vector(self, count, content):
        at = len(self.data)
        self.data += struct.pack("<I", count) + content
        return at

    def tables(self, rows):
        at = self.vector(len(rows), bytes(4 * len(rows)))
        for i, fields in enumerate(rows):
            self.refer(at + 4 + 4 * i, self.table(fields))
        return at


def tflite(arrays, kinds=None):
    """A file with constants of these names, and one tensor without content."""
    out = Writer()
    tensors = [{3: lambda: out.vector(5, b"input"), 2: struct.pack("<I", 0)}]
    buffers = [{}]
    for number, (name, array) in enumerate(arrays.items(), 1):
        content = array.tobytes()
        tensors.append(
            {
                0: lambda array=array: out.vector(array.ndim, np.array(array.shape, "<i4").tobytes()),
                1: struct.pack("<b", (kinds or {}).get(name, 0)),
                2: struct.pack("<I", number),
                3: lambda name=name: out.vector(len(name), name.encode()),
            }
        )
        buffers.append({0: lambda content=content: out.vector(len(content), content)})
    model = {2: lambda: out.tables([{0: lambda: out.tables(tensors)}]), 4: lambda: out.tables(buffers)}
    out.refer(0, out.table(model))
    return bytes(out.data)


ARRAYS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b/c": np.array(7, np.float32)}


def test_arrays(tmp_path):
    size = {"size": np.array([3, 4], np.int32)}
    tmp_path.joinpath("x.tflite").write_bytes(tflite({**ARRAYS, **size}, {"size": 2}))
    found = read_tflite(str(tmp_path / "x.tflite"))
    assert {name: array.tolist() for name, array in found.items()} == {"a": [[0, 1, 2], [3, 4, 5]], "b/c": 7}


def test_quantized(tmp_path):
    tmp_path.joinpath("x.tflite").write_bytes(tflite({"a": np.zeros(3, np.int8)}, {"a": 9}))
    with pytest.raises(FileRefused, match="a is quantized; only float32 can be converted"):
        convert_weights(tmp_path / "x.tflite", tmp_path / "ours.npz")
    assert not tmp_path.joinpath("ours.npz").exists()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("tflite") / "x.tflite"


def test_cut_short_at_every_place(place):
    whole = tflite(ARRAYS)
    for length in range(len(whole)):
        place.write_bytes(whole[:length])
        with pytest.raises(FileDamaged, match="a file of TensorFlow Lite"):
            read_tflite(str(place))


@given(st.data())
def test_altered_anywhere(place, data):
    """It is refused, or numbers and names are others; nothing else is raised."""
    altered = bytearray(tflite(ARRAYS))
    for at in data.draw(st.lists(st.integers(0, len(altered) - 1), min_size=1, max_size=4)):
        altered[at] = data.draw(st.integers(0, 255))
    place.write_bytes(altered)
    try:
        arrays = read_tflite(str(place))
    except FileRefused:
        return
    assert sum(array.nbytes for array in arrays.values()) <= 8 * len(altered)


def random_arrays(multiplier):
    rng = np.random.default_rng(0)
    network = DeepLabV3MobileNetV2(3, depth_multiplier=multiplier)
    shapes = {path.lstrip("/"): param.shape for path, param in network.namedparams()}
    arrays = {}
    for path, source in RECIPES["deeplab_v3_mobilenet_v2"].sources.items():
        if path.endswith("W"):
            out, n_in, *size = shapes[path]
            value = rng.standard_normal((out, *size, n_in), np.float32) * (2 / np.prod(shapes[path][1:])) ** 0.5
            arrays[source.name] = value.transpose(3, 1, 2, 0) if "depthwise" in source.name else value
        elif path.endswith(("beta", "b")):
            arrays[source.name] = rng.uniform(-0.3, 0.3, shapes[path])
    return {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()}


def theirs(torch, arrays, x):
    """The graph of the file: convolutions with biases, borders as TensorFlow has them."""
    F = torch.nn.functional

    def convolution(h, name, step=1, rate=1, activ=None):
        depthwise = name.endswith("depthwise")
        W = arrays[f"{name}/{'depthwise_weights' if depthwise else 'weights'}"]
        bias = torch.from_numpy(arrays[f"{name}/{'depthwise_bias' if depthwise else 'Conv2D_bias'}"])
        W = torch.from_numpy(W.transpose(3, 0, 1, 2) if depthwise else W.transpose(0, 3, 1, 2)).contiguous()
        extent = (W.shape[2] - 1) * rate + 1
        borders = []
        for size in (h.shape[3], h.shape[2]):
            border = max((-(-size // step) - 1) * step + extent - size, 0)
            borders += [border // 2, border - border // 2]
        h = F.conv2d(F.pad(h, borders), W, bias, step, 0, rate, len(W) if depthwise else 1)
        return h if activ is None else activ(h)

    h = convolution(torch.from_numpy(x), "MobilenetV2/Conv", 2, activ=F.relu6)
    reduced, rate = 2, 1
    for number, (_, step) in enumerate(BLOCKS):
        name = f"MobilenetV2/expanded_conv_{number}" if number else "MobilenetV2/expanded_conv"
        y = convolution(h, f"{name}/expand", activ=F.relu6) if number else h
        holes = step > 1 and reduced == 8
        y = convolution(y, f"{name}/depthwise", 1 if holes else step, rate, F.relu6)
        y = convolution(y, f"{name}/project")
        reduced, rate = (reduced, 2 * rate) if holes else (reduced * step, rate)
        h = y + h if y.shape == h.shape else y
    whole = convolution(h.mean((2, 3), keepdim=True), "image_pooling", activ=F.relu).expand(-1, -1, *h.shape[2:])
    h = torch.cat([whole, convolution(h, "aspp0", activ=F.relu)], 1)
    return convolution(convolution(h, "concat_projection", activ=F.relu), "logits/semantic").numpy()


@pytest.mark.torch
def test_deeplab(tmp_path):
    torch = pytest.importorskip("torch")
    arrays = random_arrays(0.25)
    tmp_path.joinpath("x.tflite").write_bytes(tflite(arrays))
    name, _ = convert_weights(tmp_path / "x.tflite", tmp_path / "ours.npz")
    assert name == "deeplab_v3_mobilenet_v2"
    network = DeepLabV3MobileNetV2(3, tmp_path / "ours.npz")
    for size in ((65, 97), (64, 80)):
        x = np.random.default_rng(1).uniform(-1, 1, (1, 3, *size)).astype(np.float32)
        right = theirs(torch, arrays, x)
        with using_config("train", False):
            found = network(x).array
        assert np.ptp(right, axis=(2, 3)).min() > 1e-3  # pixels differ
        np.testing.assert_allclose(found, right, atol=1e-4 * np.abs(right).max())
