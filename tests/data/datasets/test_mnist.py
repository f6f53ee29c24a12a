import gzip
import struct

import numpy as np
import pytest

from renga_data.datasets import (
    get_fashion_mnist,
    get_fashion_mnist_labels,
    get_kuzushiji_mnist,
    get_kuzushiji_mnist_labels,
    get_mnist,
    remote,
)
from renga_data.datasets.mnist import read_idx

LOADERS = {"MNIST": get_mnist, "FASHION_MNIST": get_fashion_mnist, "KUZUSHIJI_MNIST": get_kuzushiji_mnist}


def idx(array):
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    return gzip.compress(header + array.tobytes())


@pytest.fixture
def arrays():
    generator = np.random.default_rng(0)
    return [
        generator.integers(0, 256, (7, 28, 28), np.uint8),
        generator.integers(0, 10, 7, np.uint8),
        generator.integers(0, 256, (3, 28, 28), np.uint8),
        generator.integers(0, 10, 3, np.uint8),
    ]


@pytest.fixture(params=sorted(LOADERS))
def load(request, arrays, mirror, monkeypatch):
    files = getattr(remote, request.param)
    small = [mirror.add(file.dataset, file.name, idx(array)) for file, array in zip(files, arrays, strict=True)]
    monkeypatch.setattr(remote, request.param, remote.MnistFiles(*small))
    return LOADERS[request.param]


def test_pairs(load, arrays):
    parts = load()
    for part, images, labels in zip(parts, arrays[::2], arrays[1::2], strict=True):
        assert len(part) == len(images)
        for (x, t), image, label in zip(part, images, labels, strict=True):
            assert (x.shape, x.dtype, t.dtype) == ((784,), np.float32, np.int32)
            np.testing.assert_allclose(x, image.ravel() / 255, rtol=1e-6)
            assert t == label


@pytest.mark.parametrize(
    ("options", "shape"),
    [({"ndim": 2}, (28, 28)), ({"ndim": 3}, (1, 28, 28)), ({"ndim": 3, "rgb_format": True}, (3, 28, 28))],
)
def test_options(load, arrays, options, shape):
    train, test = load(withlabel=False, scale=255.0, dtype=np.float64, **options)
    assert (train.dtype, train.shape, test.shape) == (np.float64, (7, *shape), (3, *shape))
    np.testing.assert_allclose(
        train, np.broadcast_to(arrays[0].reshape(7, *[1] * (len(shape) - 2), 28, 28), train.shape)
    )
    assert load(label_dtype=np.int64)[0][0][1].dtype == np.int64


@pytest.mark.parametrize("options", [{"ndim": 4}, {"rgb_format": True}, {"dtype": "int32"}])
def test_bad_options(load, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        load(**options)


@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (1, 2, 3, 4)])
def test_idx_of_any_shape(tmp_path, shape):
    array = np.arange(np.prod(shape, dtype=int), dtype=np.uint8).reshape(shape)
    path = tmp_path / "array.gz"
    path.write_bytes(idx(array))
    np.testing.assert_array_equal(read_idx(path), array)


GOOD = gzip.decompress(idx(np.zeros((2, 3), np.uint8)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"plain text", "damaged or not a gzip-compressed IDX file"),
        (gzip.compress(GOOD)[:-9], "damaged or not a gzip-compressed IDX file"),
        (gzip.compress(GOOD[:6]), "damaged or not a gzip-compressed IDX file"),
        (gzip.compress(b""), "damaged or not a gzip-compressed IDX file"),
        (
            gzip.compress(b"\0\0\x0d\x02" + GOOD[4:]),
            "it does not contain unsigned bytes: it begins with 00 00 0d 02",
        ),
        (gzip.compress(b"\1" + GOOD[1:]), "it does not contain unsigned bytes: it begins with 01 00 08 02"),
        (gzip.compress(GOOD[:-1]), r"damaged or .* it has 5 elements, but says that its shape is \(2, 3\)"),
        (gzip.compress(GOOD + b"\0"), r"damaged or .* it has more elements, but says that its shape is \(2, 3\)"),
    ],
    ids=["text", "cut", "short header", "empty", "floats", "no zeros", "too few elements", "too many elements"],
)
def test_damaged_idx(tmp_path, content, message):
    path = tmp_path / "array.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"array\.gz: .*{message}"):
        read_idx(path)


def test_labels_have_names():
    assert len(set(get_fashion_mnist_labels())) == 10
    assert len(set(get_kuzushiji_mnist_labels())) == 10
    assert get_kuzushiji_mnist_labels()[1] == ("ki", "き")
