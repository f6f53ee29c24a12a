"""Darknet's tiny YOLO, and that of face-api.js: ours with their weights says what theirs says of an image."""

import struct

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.serializers import FileDamaged, FileMismatched, FileRefused
from renga_cv.links.model.yolo.yolo_v2_tiny import YOLOv2Tiny
from renga_cv.weights import face_api
from renga_cv.weights.convert import convert_weights
from renga_cv.weights.layout import length, split

ANCHORS = [(0.5, 0.75), (1.5, 2.5), (3.25, 5.0)]  # width and height
CHANNELS = (3, 16, 32, 64, 128, 256, 512, 1024, 8)


HEADER = struct.pack("<3iq", 0, 2, 0, 32013312)


def cfg():
    convolution = "[convolutional]\nbatch_normalize=1\nfilters={}\nsize=3\nstride=1\npad=1\nactivation=leaky\n"
    text = "[net]\n# a remark\nwidth = 416\nchannels=3\n\n"
    for i, filters in enumerate(CHANNELS[1:]):
        text += convolution.format(filters)
        text += f"[maxpool]\nsize=2\nstride={2 if i < 5 else 1}\n" if i < 6 else ""
    text += f"[convolutional]\nsize=1\nstride=1\npad=1\nfilters={len(ANCHORS) * 7}\nactivation=linear\n"
    anchors = ",  ".join(f"{width},{height}" for width, height in ANCHORS)
    return text + f"[region]\nanchors = {anchors}\nclasses=2 # as many\n"


def random_arrays(shapes):
    """Of a size that keeps an image's numbers as large as they are."""
    rng, arrays = np.random.default_rng(0), {}
    drawn = rng.standard_normal(1_000_003, np.float32)  # again and again: to draw all of them takes seconds
    for name, shape in shapes:
        if len(shape) > 1:
            fan = np.prod(shape) / max(shape[0], shape[-1])
            arrays[name] = np.resize(drawn, shape) * np.float32((2 / fan) ** 0.5)
        else:
            around = 0 if name.endswith(("biases", "bias", "mean", "sub")) else 1
            arrays[name] = (around + rng.uniform(-0.3, 0.3, shape)).astype(np.float32)
    return arrays


def darknet_shapes():
    found, n_in = [], 3
    for i, n_out in enumerate((*CHANNELS[1:], len(ANCHORS) * 7)):
        found.append((f"{i}.biases", (n_out,)))
        if i < 8:
            found += [(f"{i}.{name}", (n_out,)) for name in ("scales", "rolling_mean", "rolling_variance")]
        found.append((f"{i}.weights", (n_out, n_in, 3, 3) if i < 8 else (n_out, n_in, 1, 1)))
        n_in = n_out
    return found


@pytest.fixture(scope="module")
def darknet():
    return random_arrays(darknet_shapes())


def written(folder, arrays, header=HEADER):
    folder.joinpath("tiny.cfg").write_text(cfg())
    with folder.joinpath("tiny.weights").open("wb") as file:
        file.write(header)
        for array in arrays.values():
            file.write(array.tobytes())
    return folder / "tiny.weights"


def theirs(torch, x, layers):
    """The layers of both: `layers` gives filters, what comes before leaky ReLU, for each convolution but the last."""
    F = torch.nn.functional
    h = torch.from_numpy(x)
    for i, (W, normalized) in enumerate(layers[:-1]):
        h = F.leaky_relu(normalized(F.conv2d(h, torch.from_numpy(W.copy()), padding=1)), 0.1)
        if i < 5:
            h = F.max_pool2d(h, 2)
        elif i == 5:
            h = F.max_pool2d(F.pad(h, (0, 1, 0, 1), value=-torch.inf), 2, 1)
    W, normalized = layers[-1]
    return normalized(F.conv2d(h, torch.from_numpy(W.copy()))).numpy()


def compare(torch, network, layers, n_class, n_box):
    x = np.random.default_rng(1).random((1, 3, 64, 96), np.float32)
    outputs = theirs(torch, x, layers).reshape(1, n_box, 5 + n_class, 2, 3).transpose(0, 3, 4, 1, 2)
    right = outputs.reshape(1, -1, 5 + n_class)
    with using_config("train", False):
        loc, obj, conf = (each.array for each in network(x))
    scale = np.abs(right).max()
    assert np.ptp(right) > 0.1  # the boxes differ
    np.testing.assert_allclose(loc, right[..., [1, 0, 3, 2]], atol=1e-4 * scale)
    np.testing.assert_allclose(obj, right[..., 4], atol=1e-4 * scale)
    np.testing.assert_allclose(conf, right[..., 5:], atol=1e-4 * scale)


def column(torch, array):
    return torch.from_numpy(array.copy()).reshape(1, -1, 1, 1)


@pytest.mark.torch
def test_darknet(darknet, tmp_path):
    torch = pytest.importorskip("torch")
    # A variance so small that the constants of batch normalization count.
    arrays = {**darknet, "0.rolling_variance": darknet["0.rolling_variance"] * np.float32(1e-4)}
    name, _ = convert_weights(written(tmp_path, arrays), tmp_path / "ours.npz")
    assert name == "yolov2_tiny"
    network = YOLOv2Tiny(2, tmp_path / "ours.npz")
    np.testing.assert_allclose(network._cells[: len(ANCHORS), 3:], np.array(ANCHORS)[:, ::-1] * 32, rtol=1e-6)

    def normalized(i):
        scale, mean, var, bias = (
            column(torch, arrays[f"{i}.{each}"]) for each in ("scales", "rolling_mean", "rolling_variance", "biases")
        )
        return lambda h: (h - mean) / (var.sqrt() + 1e-6) * scale + bias

    layers = [(arrays[f"{i}.weights"], normalized(i)) for i in range(8)]
    layers.append((arrays["8.weights"], lambda h: h + column(torch, arrays["8.biases"])))
    compare(torch, network, layers, 2, len(ANCHORS))


@pytest.mark.torch
def test_face_api(tmp_path):
    torch = pytest.importorskip("torch")
    arrays = random_arrays(list(face_api._shapes()))
    with tmp_path.joinpath("face.weights").open("wb") as file:
        for array in arrays.values():
            file.write(array.tobytes())
    name, _ = convert_weights(tmp_path / "face.weights", tmp_path / "ours.npz")
    assert name == "face_api_tiny_yolov2"
    network = YOLOv2Tiny(1, tmp_path / "ours.npz")
    assert network._cells[0, 3:] == pytest.approx([0.874946 * 32, 0.738768 * 32])

    def normalized(i):
        sub, factor, bias = (column(torch, arrays[f"conv{i}/{each}"]) for each in ("bn/sub", "bn/truediv", "bias"))
        return lambda h: (h - sub) * factor + bias

    layers = [(arrays[f"conv{i}/filters"].transpose(3, 2, 0, 1), normalized(i)) for i in range(8)]
    last = arrays["conv8/filters"].transpose(3, 2, 0, 1)
    layers.append((last, lambda h: h + column(torch, arrays["conv8/bias"])))
    compare(torch, network, layers, 1, 5)


def test_an_older_header(darknet, tmp_path):
    file = written(tmp_path, darknet, struct.pack("<4i", 0, 1, 0, 7))
    _, network = convert_weights(file, tmp_path / "ours.npz")
    np.testing.assert_array_equal(network.extractor[0].conv.W.array, darknet["0.weights"])


@pytest.mark.parametrize("change", ["shorter", "longer", "header"])
def test_a_file_of_another_length(darknet, tmp_path, change):
    file = written(tmp_path, darknet)
    content = file.read_bytes()
    file.write_bytes({"shorter": content[:-1], "longer": content + b"1234", "header": content[:8]}[change])
    with pytest.raises(FileDamaged, match=r"tiny\.weights: damaged or not weights of Darknet's \(it has \d+ bytes"):
        convert_weights(file, tmp_path / "ours.npz")
    assert not tmp_path.joinpath("ours.npz").exists()


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ("activation=leaky", "activation=relu", FileMismatched, "convolution 0 has activation = relu; it should be"),
        ("filters=16", "filters=24", FileMismatched, "convolution 0 has filters = 24; it should be 16"),
        ("classes=2", "classes=3", FileMismatched, "21 filters at the end are not 3 anchors times 5 and 3 classes"),
        ("[region]", "[yolo]", FileMismatched, "its layers are convolutional, maxpool"),
        ("batch_normalize=1", "batch_normalize=0", FileMismatched, "convolution 0 has batch normalization not"),
        ("[maxpool]\nsize=2", "[maxpool]\nsize=3", FileMismatched, "of its maxpool are"),
        ("filters=16", "filters=99999999999", FileDamaged, "99999999999 filters"),
        ("filters=16", "filters=many", FileDamaged, r"a \.cfg of Darknet's"),
        ("[net]", "net", FileDamaged, "a line is 'net'"),
        ("anchors = ", "anchors = 1,", FileDamaged, "reshape"),
        ("[net]", "[other]", FileDamaged, "KeyError"),
    ],
)
def test_another_cfg(tmp_path, old, new, error, said):
    tmp_path.joinpath("tiny.weights").write_bytes(b"not read")
    tmp_path.joinpath("tiny.cfg").write_text(cfg().replace(old, new, 1))
    with pytest.raises(error, match=said):
        convert_weights(tmp_path / "tiny.weights", tmp_path / "ours.npz")


def test_no_cfg(tmp_path):
    tmp_path.joinpath("tiny.weights").write_bytes(b"not read")
    with pytest.raises(FileRefused, match=r"tiny\.cfg'?, which lists their layers, is missing"):
        convert_weights(tmp_path / "tiny.weights", tmp_path / "ours.npz")


def test_arrays_one_after_another():
    shapes = [("a", (2, 3)), ("b", ()), ("c", (4,))]
    numbers = np.arange(11, dtype="<f4")
    assert length(shapes) == numbers.nbytes
    arrays = split(numbers.tobytes(), shapes)
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "a": [[0, 1, 2], [3, 4, 5]],
        "b": 6,
        "c": [7, 8, 9, 10],
    }
