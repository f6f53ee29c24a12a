"""Small files that would take much memory are refused before they take it."""

import io
import pickle
import struct
import tracemalloc
import zipfile
from contextlib import contextmanager

import numpy as np
import pytest

from renga_chainer.npz import load_chainer_npz
from renga_core.serializers import FileRefused
from renga_serializers.hdf5 import load_hdf5, save_hdf5
from renga_serializers.npz import load_npz, save_npz
from renga_serializers.tensors import load_safetensors

LARGE = 1 << 28  # bytes
MUCH = 1 << 25


class One:
    """An object with one value."""

    def __init__(self, value):
        self.value = value

    def serialize(self, serializer):
        self.value = serializer("value", self.value)


@contextmanager
def little_memory():
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MUCH
    finally:
        tracemalloc.stop()


def write_member(path, content, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("value.npy", content)


VALUES = [np.zeros(3, "f"), None, 0, 1.5, "text", [1]]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("load", [load_npz, load_chainer_npz])
def test_an_array_that_nobody_expects(tmp_path, value, load):
    path = tmp_path / "model.npz"
    save_npz(path, One(np.zeros(LARGE, np.int8)))
    assert path.stat().st_size < MUCH / 10
    loaded = One(value)
    with little_memory(), pytest.raises(FileRefused, match=r"value (is int8 of shape|takes 268,435,456 bytes)"):
        load(path, loaded)
    assert loaded.value is value


def test_an_array_that_is_expected(tmp_path):
    path = tmp_path / "model.npz"
    save_npz(path, One(np.zeros(LARGE // 2, np.int8)))
    loaded = One(np.ones(LARGE // 2, np.int8))
    load_npz(path, loaded)
    assert not loaded.value.any()


def test_an_array_where_there_is_none_yet(tmp_path):
    path = tmp_path / "model.npz"
    save_npz(path, One(np.zeros(1 << 20, "f")))
    loaded = One(None)
    load_npz(path, loaded)
    assert loaded.value.shape == (1 << 20,)


def header(shape, descr):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
    return file.getvalue()


@pytest.mark.parametrize(
    ("shape", "descr"), [((1 << 40,), "<f4"), ((), f"<U{1 << 28}"), ((), f"|V{1 << 30}"), ((1 << 20, 1 << 12), "|i1")]
)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_header_that_lies(tmp_path, shape, descr, value):
    path = tmp_path / "model.npz"
    write_member(path, header(shape, descr) + b"\0" * 40)
    assert path.stat().st_size < 1000
    with little_memory(), pytest.raises(FileRefused, match="bytes are announced, but 40 are there"):
        load_npz(path, One(value))


def pickled(*instructions):
    return header((), "|O") + b"".join(instructions)


def array_of(elements, count):
    """What NumPy pickles for an array of objects."""
    head = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\x00\x85C\x01btR(K\x01"
    dtype = b"cnumpy\ndtype\n(X\x02\x00\x00\x00O8I00\nI01\ntR(K\x03X\x01\x00\x00\x00|NNNI-1\nI-1\nK?tb"
    return b"\x80\x03" + head + b"(J" + struct.pack("<i", count) + b"t" + dtype + b"I00\n(" + elements + b"ltb."


PICKLES = {
    "place": pickled(b"\x80\x03Nr", struct.pack("<I", 0x07FFFFFF), b"."),
    "bytes": pickled(b"\x80\x05\x8e", struct.pack("<Q", LARGE), b"."),
    "bytearray": pickled(b"\x80\x05\x96", struct.pack("<Q", LARGE), b"."),
    "text": pickled(b"\x80\x05\x8d", struct.pack("<Q", LARGE), b"."),
    "integer": pickled(b"\x80\x02\x8b", struct.pack("<i", LARGE), b"."),
    "frame": pickled(b"\x80\x05\x95", struct.pack("<Q", LARGE), b"N."),
    "one text many times": pickled(array_of(b"X" + struct.pack("<I", 20_000) + b"a" * 20_000 + b"2" * 19_999, 20_000)),
    "depth": pickled(b"(" * 100_000),
    "lists in lists": pickled(b"]" * 100_000 + b"a" * 99_999 + b"."),
}


@pytest.mark.parametrize("kind", PICKLES)
def test_a_pickle(tmp_path, kind):
    path = tmp_path / "model.npz"
    write_member(path, PICKLES[kind])
    with little_memory(), pytest.raises(FileRefused) as caught:
        load_chainer_npz(path, One(None))
    print(str(caught.value))
    assert "times as many" in str(caught.value) or kind != "one text many times"


def test_a_pickle_that_compresses_too_well(tmp_path):
    path = tmp_path / "model.npz"
    write_member(path, pickled(b"N" * (1 << 27)))
    with little_memory(), pytest.raises(FileRefused, match=r"134,217,\d+ bytes of memory"):
        load_chainer_npz(path, One(None))


def test_texts_of_a_pickle_that_are_as_long_as_they_look(tmp_path):
    path = tmp_path / "model.npz"
    write_member(path, header((3,), "|O") + pickle.dumps(np.array(["a", "bb", "c" * 1000], object), 2))
    loaded = One([""])
    load_chainer_npz(path, loaded)
    assert loaded.value == ["a", "bb", "c" * 1000]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_hdf5(tmp_path, value):
    pytest.importorskip("h5py")
    path = tmp_path / "model.h5"
    save_hdf5(path, One(np.zeros(LARGE, np.int8)), 9)
    assert path.stat().st_size < MUCH / 10
    with little_memory(), pytest.raises(FileRefused, match=r"value (is int8 of shape|takes 268,435,456 bytes)"):
        load_hdf5(path, One(value))


def test_texts_of_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "model.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("value", data=["a" * 60_000, *["b"] * 9_999], dtype=h5py.string_dtype(), compression=9)
    with little_memory(), pytest.raises(FileRefused, match=r"takes .* bytes of memory"):
        load_hdf5(path, One([""]))


def test_safetensors_with_deep_metadata(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "model.safetensors"
    safetensors.save_file({}, path, {"renga": '{"value": ' + "[" * 100_000 + "]" * 100_000 + "}"})
    with pytest.raises(FileRefused, match="metadata"):
        load_safetensors(path, One(None))
    deep = b'{"__metadata__":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001
    path.write_bytes(struct.pack("<Q", len(deep)) + deep)
    with pytest.raises(FileRefused):
        load_safetensors(path, One(None))
