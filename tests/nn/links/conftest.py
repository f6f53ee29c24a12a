import numpy as np
import pytest

from renga_core import random
from renga_core.backend import using_device
from renga_core.configuration import using_config
from renga_testing.every_backend import ready_backends


@pytest.fixture(autouse=True)
def in_double_precision():
    """Parameters in float64, so that results can be compared closely; always the same ones."""
    random.seed(0)
    with using_config("dtype", np.dtype("float64")):
        yield


@pytest.fixture(params=ready_backends())
def device(request):
    """Each array backend in turn. Links made in the test are made there."""
    with using_device(request.param) as device:
        yield device


class Caffemodel:
    """Writes networks as Caffe does. Fields are given by number: a list of pairs of number and value."""

    types = {"Concat": 3, "Convolution": 4, "Data": 5, "Dropout": 6, "InnerProduct": 14, "LRN": 15, "Pooling": 17}
    types |= {"ReLU": 18, "Sigmoid": 19, "Softmax": 20, "SoftmaxWithLoss": 21, "Split": 22, "TanH": 23, "Eltwise": 25}
    types |= {"Slice": 33, "Deconvolution": 39}

    def __init__(self, folder):
        self.path = folder / "network.caffemodel"

    @classmethod
    def varint(cls, value):
        value &= (1 << 64) - 1
        written = bytearray()
        while value > 127:
            written.append(value & 127 | 128)
            value >>= 7
        return bytes([*written, value])

    @classmethod
    def encode(cls, fields):
        written = b""
        for number, value in fields:
            if isinstance(value, (bool, int)):
                written += cls.varint(number << 3) + cls.varint(int(value))
                continue
            if isinstance(value, float):
                written += cls.varint(number << 3 | 5) + np.float32(value).tobytes()
                continue
            if isinstance(value, str):
                value = value.encode()
            elif isinstance(value, np.ndarray):
                value = value.astype("<f8" if value.dtype == np.float64 else "<f4").tobytes()
            elif isinstance(value, tuple):
                value = b"".join(map(cls.varint, value))
            elif isinstance(value, list):
                value = cls.encode(value)
            written += cls.varint(number << 3 | 2) + cls.varint(len(value)) + value
        return written

    @classmethod
    def blob(cls, array):
        array = np.asarray(array, np.float32)
        return [(7, [(1, array.shape)]), (5, array)]

    @classmethod
    def old_blob(cls, array):
        array = np.asarray(array, np.float32)
        shape = (1,) * (4 - array.ndim) + array.shape
        return [*enumerate(shape, 1), (5, array)]

    def layer(self, name, kind, bottom, top, blobs=(), options=()):
        """A layer of the second generation."""
        named = [(1, name), (2, kind), *[(3, b) for b in bottom], *[(4, t) for t in top]]
        return (100, [*named, *[(7, self.blob(b)) for b in blobs], *options])

    def old_layer(self, name, kind, bottom, top, blobs=(), options=()):
        """A layer of the first generation."""
        named = [*[(2, b) for b in bottom], *[(3, t) for t in top], (4, name), (5, self.types[kind])]
        return (2, [*named, *[(6, self.old_blob(b)) for b in blobs], *options])

    def write(self, *layers):
        """A file with these layers."""
        self.path.write_bytes(self.encode([(1, "a network"), *layers]))
        return self.path


@pytest.fixture
def caffemodel(tmp_path):
    return Caffemodel(tmp_path)
