"""Keras' ResNet50 in the layout of TensorFlow.js."""

import json

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.serializers import FileDamaged, FileRefused
from renga_cv.links.model.imagenet import VGG_MEAN
from renga_cv.links.model.resnet.resnet import ResNet, ResNet50
from renga_cv.weights import keras
from renga_cv.weights.convert import RECIPES, convert_weights
from renga_cv.weights.tensorflow_js import read_tensorflow_js

BLOCKS = (1, 2, 1, 1)


def write(folder, arrays):
    """model.json, and the bytes in two files."""
    content = b"".join(array.astype("<f4").tobytes() for array in arrays.values())
    half = len(content) // 2 + 1  # in the middle of a number
    folder.joinpath("one.bin").write_bytes(content[:half])
    folder.joinpath("two.bin").write_bytes(content[half:])
    weights = [{"name": name, "shape": array.shape, "dtype": "float32"} for name, array in arrays.items()]
    manifest = {"weightsManifest": [{"paths": ["one.bin", "two.bin"], "weights": weights}]}
    folder.joinpath("model.json").write_text(json.dumps(manifest))
    return folder / "model.json"


def theirs(torch, arrays, x):
    """The network as Keras has it, of images blue first: padding, biases and constants are its own."""
    F = torch.nn.functional
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}

    def convolution(h, name, bn, stride=1, pad=0):
        h = F.conv2d(h, tensors[f"{name}/kernel"].permute(3, 2, 0, 1), tensors[f"{name}/bias"], stride, pad)
        statistics = tensors[f"{bn}/moving_mean"], tensors[f"{bn}/moving_variance"]
        return F.batch_norm(h, *statistics, tensors[f"{bn}/gamma"], tensors[f"{bn}/beta"], eps=1e-3)

    h = F.relu(convolution(torch.from_numpy(x), "conv1", "bn_conv1", 2, 3))
    h = F.max_pool2d(F.pad(h, (1, 1, 1, 1)), 3, 2)
    for stage, count in enumerate(BLOCKS, 2):
        for letter in "abc"[:count]:
            res, bn = f"res{stage}{letter}_branch", f"bn{stage}{letter}_branch"
            stride = 2 if letter == "a" and stage > 2 else 1
            y = F.relu(convolution(h, f"{res}2a", f"{bn}2a", stride))
            y = F.relu(convolution(y, f"{res}2b", f"{bn}2b", pad=1))
            y = convolution(y, f"{res}2c", f"{bn}2c")
            h = F.relu(y + (convolution(h, f"{res}1", f"{bn}1", stride) if letter == "a" else h))
    return (h.mean((2, 3)) @ tensors["fc1000/kernel"] + tensors["fc1000/bias"]).numpy()


def random_arrays(recipe):
    rng = np.random.default_rng(0)
    network = recipe.network(5)
    shapes = {path.lstrip("/"): param.shape for path, param in network.namedparams()}
    arrays = {}
    for path, source in recipe.sources.items():
        shape = shapes.get(path) or shapes[f"{path.rpartition('/')[0]}/gamma"]
        if len(shape) > 1:
            value = rng.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5
            arrays[source.name] = value.transpose(2, 3, 1, 0) if len(shape) == 4 else value.T
        else:
            around = 1 if path.endswith(("gamma", "avg_var")) else 0
            arrays[source.name] = around + rng.uniform(-0.3, 0.3, shape)
        arrays |= {other: rng.uniform(-0.3, 0.3, shape) for other in source.others}
    # A variance so small that the constants of batch normalization count.
    arrays["bn_conv1/moving_variance"] = arrays["bn_conv1/moving_variance"] * 1e-2
    return {name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()}


@pytest.mark.torch
def test_resnet50(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(ResNet, "_blocks", {50: BLOCKS})
    recipe = RECIPES["keras_resnet50"]
    monkeypatch.setitem(RECIPES, "keras_resnet50", type(recipe)(**{**vars(recipe), "sources": keras._sources()}))
    arrays = random_arrays(RECIPES["keras_resnet50"])
    name, _ = convert_weights(write(tmp_path, arrays), tmp_path / "ours.npz")
    assert name == "keras_resnet50"
    network = ResNet50(5, tmp_path / "ours.npz", arch="keras")
    assert np.array_equal(network.mean, VGG_MEAN)
    network.pick = "fc6"
    image = np.random.default_rng(1).uniform(-120, 120, (1, 3, 65, 78)).astype(np.float32)
    right = theirs(torch, arrays, image[:, ::-1].copy())
    with using_config("train", False):
        found = network(image).array
    np.testing.assert_allclose(found, right, atol=1e-4 * np.abs(right).max())


ARRAYS = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b/c": np.array(7, np.float32)}


def test_arrays(tmp_path):
    found = read_tensorflow_js(str(write(tmp_path, ARRAYS)))
    assert {name: array.tolist() for name, array in found.items()} == {"a": [[0, 1, 2], [3, 4, 5]], "b/c": 7}


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ('"one.bin"', '"../one.bin"', FileRefused, r"'\.\./one\.bin', which is not in the same folder"),
        ('"one.bin"', '"/etc/passwd"', FileRefused, "is not in the same folder"),
        ('"float32"', '"int32"', FileRefused, "a is int32; only float32"),
        ('"dtype"', '"quantization": {"dtype": "uint8"}, "dtype"', FileRefused, "a is quantized"),
        ("[2, 3]", "[2, 4]", FileDamaged, "the 2 files that it names have 28 bytes, but its arrays need 36"),
        ("[2, 3]", "[-2, -3]", FileDamaged, r"a has shape \(-2, -3\)"),
        ("[2, 3]", "[9999999999, 9999999999]", FileDamaged, "the 2 files that it names have 28 bytes"),
        ("weightsManifest", "weights", FileDamaged, "KeyError"),
        ("}", "", FileDamaged, "JSONDecodeError"),
        ("{", "[" * 200_000, FileDamaged, "RecursionError"),
    ],
)
def test_a_file_that_is_refused(tmp_path, old, new, error, said):
    file = write(tmp_path, ARRAYS)
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(error, match=said):
        convert_weights(file, tmp_path / "ours.npz")
    assert not tmp_path.joinpath("ours.npz").exists()


def test_a_file_beside_it_is_missing(tmp_path):
    file = write(tmp_path, ARRAYS)
    tmp_path.joinpath("two.bin").unlink()
    with pytest.raises(FileNotFoundError, match=r"two\.bin"):
        convert_weights(file, tmp_path / "ours.npz")
