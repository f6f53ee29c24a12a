"""Files that are damaged, or made to take much memory: read, or refused in one sentence with the name of the file."""

import random
import tracemalloc
import warnings
from pathlib import Path

import numpy as np
import pytest

from renga_core.serializers import FileRefused
from renga_nn.links import CaffeFunction

RNG = np.random.default_rng(0)


def network(caffemodel):
    W, b = RNG.uniform(-1, 1, (6, 2, 3, 3)).astype("f"), RNG.uniform(-1, 1, 6).astype("f")
    return caffemodel.write(
        caffemodel.layer("conv", "Convolution", ["x"], ["h"], [W, b], options=[(106, [(1, 6), (4, 3)])]),
        caffemodel.layer("norm", "BatchNorm", ["h"], ["h"], [b, b * b, np.ones(1, "f")]),
        caffemodel.layer("pool", "Pooling", ["h"], ["p"], options=[(121, [(2, 2)])]),
        caffemodel.layer("fc", "InnerProduct", ["p"], ["y"], [W.reshape(6, -1), b], options=[(117, [(1, 6)])]),
    )


def refuses(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # layers of kinds that are not known are left out
        try:
            CaffeFunction(path)
        except FileRefused as error:
            return error
    return None


def test_damaged_files(caffemodel, tmp_path):
    content = Path(network(caffemodel)).read_bytes()
    generator, refused = random.Random(0), []
    path = tmp_path / "damaged.caffemodel"
    for _ in range(400):
        data = bytearray(content)
        for _ in range(generator.choice((1, 1, 3))):
            at = generator.randrange(len(data))
            kind = generator.randrange(3)
            if kind == 0:
                data[at] ^= 1 << generator.randrange(8)
            elif kind == 1 and at:
                del data[at:]
            else:
                del data[at : at + generator.randrange(1, 9)]
            if not data:
                break
        path.write_bytes(data)
        refused.append(refuses(path))
    errors = [error for error in refused if error is not None]
    assert len(errors) > 100
    for error in errors:
        assert str(error).startswith(f"{path}: ")
        assert "\n" not in str(error)


@pytest.mark.parametrize("kind", ["Convolution", "InnerProduct", "BatchNorm", "Scale", "PReLU", "Deconvolution"])
def test_layers_without_their_weights(caffemodel, kind):
    path = caffemodel.write(caffemodel.layer("it", kind, ["x"], ["y"]))
    with pytest.raises(FileRefused, match=f"layer 'it': it is not a valid {kind}: IndexError"):
        CaffeFunction(path)


@pytest.mark.parametrize("content", [b"\xa2\x06\x00", b"\xa2\x06\x05\x12\x03ReL", b"\xa2\x06\x08" + b"\x3a\x00" * 4])
def test_empty_messages_take_little_memory(tmp_path, content):
    path = tmp_path / "many.caffemodel"
    path.write_bytes(content * 20_000)
    tracemalloc.start()
    try:
        refuses(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 25
    finally:
        tracemalloc.stop()


def test_one_layer_with_many_weights(tmp_path):
    path = tmp_path / "many.caffemodel"
    path.write_bytes(b"\xa2\x06\xc0\x9a\x0c" + b"\x3a\x00" * 100_000)
    with pytest.raises(FileRefused, match="there are more than 16 fields 'blobs'"):
        CaffeFunction(path)
