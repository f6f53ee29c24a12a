import builtins
import collections
import io
import os
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_chainer.npz import FileForbidden, load_chainer_npz
from renga_core.serializers import FileDamaged, FileMismatched, FileRefused
from renga_serializers.npz import load_npz

FLOATS = st.floats(allow_nan=False)
NUMBERS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS | st.complex_numbers(allow_nan=False)
SCALARS = st.none() | NUMBERS | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


class Values:
    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for key, value in self.values.items():
            self.values[key] = serializer(key, value)


def as_object(value):
    array = np.empty((), object)
    array[()] = value
    return array


def write(path, pickled=(), **arrays):
    """An npz file, with members that are what is after NumPy's header of an array of objects."""
    with zipfile.ZipFile(path, "w") as archive:
        for key, array in arrays.items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(f"{key}.npy", member.getvalue())
        for key, content in dict(pickled).items():
            member = io.BytesIO()
            np.lib.format.write_array_header_1_0(member, {"descr": "|O", "fortran_order": False, "shape": ()})
            archive.writestr(f"{key}.npy", member.getvalue() + content)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "snapshot"


def test_a_name_without_its_suffix(tmp_path):
    write(tmp_path / "model.npz", w=np.arange(3.0))
    load_chainer_npz(tmp_path / "model", loaded := Values(w=np.zeros(3)))
    assert loaded.values["w"].tolist() == [0, 1, 2]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_chainer_npz(tmp_path / "nowhere", loaded)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    SCALARS, hnp.arrays(hnp.floating_dtypes() | hnp.integer_dtypes(), hnp.array_shapes(min_dims=0)), st.integers(0, 4)
)
def test_what_numpy_pickles_is_read(path, value, array, protocol):
    write(path, {"value": pickle.dumps(as_object(value), protocol)}, w=array)
    loaded = Values(value=value if value is None else type(value)(), w=np.zeros_like(array))
    load_chainer_npz(path, loaded)
    assert loaded.values["value"] == value
    assert type(loaded.values["value"]) is type(value)
    np.testing.assert_array_equal(loaded.values["w"], array)


@given(hnp.arrays(hnp.floating_dtypes() | hnp.integer_dtypes() | hnp.complex_number_dtypes(), ()), st.integers(0, 4))
def test_numpy_scalars_are_read(tmp_path_factory, array, protocol):
    path = write(tmp_path_factory.mktemp("x") / "f", {"x": pickle.dumps(as_object(array[()]), protocol)})
    loaded = Values(x=array[()])
    load_chainer_npz(path, loaded)
    np.testing.assert_equal(loaded.values["x"], array[()])


def test_a_snapshot_of_a_trainer(path):
    """As Chainer saves one: None as an array of objects, texts as texts."""
    np.savez(
        path,
        **{
            "updater/model:main/l1/W": np.ones((2, 3), np.float32),
            "updater/model:main/l1/b": np.asarray(None),
            "updater/iteration": np.asarray(7),
            "extensions/LogReport/_log": np.asarray("[]"),
            "updater/iterator:main/order": np.asarray(None),
        },
    )

    class Layer(Values):
        def serialize(self, serializer):
            super().serialize(serializer["l1"])

    loaded = Layer(W=np.zeros((2, 3), np.float32), b=None)
    load_chainer_npz(f"{path}.npz", loaded, path="updater/model:main")
    assert (loaded.values["W"].min(), loaded.values["b"]) == (1, None)
    with open(f"{path}.npz", "rb") as file:
        load_chainer_npz(file, loaded, path="updater/model:main")
    with pytest.raises(FileDamaged, match=r"reading 'updater/model:main/l1/b': .*pickled.*load_chainer_npz"):
        load_npz(f"{path}.npz", loaded, path="updater/model:main")


def test_arrays_of_objects_that_are_numbers(path):
    array = np.array([[1.5, 2, 3], [4, 5, 6]], object)
    for order in "CF":
        write(path, x=np.asarray(array, order=order))
        loaded = Values(x=np.zeros((2, 3)))
        load_chainer_npz(path, loaded)
        np.testing.assert_array_equal(loaded.values["x"], array.astype(float))


@pytest.mark.parametrize(
    ("elements", "asked"),
    [
        ([1, "a"], "an array of objects of different types"),
        ([None, None], "an array of objects of different types"),
        ([2**70], "an integer of more than 64 bits"),
        (2**70, "an integer of more than 64 bits"),
    ],
)
def test_arrays_of_objects_that_are_not(path, elements, asked):
    write(path, x=np.array(elements, object))
    with pytest.raises(FileForbidden, match=asked):
        load_chainer_npz(path, Values(x=None))


def test_differences_are_listed(path):
    write(path, n=np.asarray(None), w=np.zeros((2, 3)), text=as_object("words"))
    loaded = Values(n=np.ones(3), w=np.ones((3, 2)), text=3, more=1)
    with pytest.raises(FileMismatched) as caught:
        load_chainer_npz(path, loaded)
    assert caught.value.differences == [
        "n is None in the file, but float64 of shape (3,) here",
        "w is float64 of shape (2, 3) in the file, but float64 of shape (3, 2) here",
        "text is text in the file, but int here",
        "more is missing",
    ]


class Bomb:
    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class Mine:
    pass


BOMBS = {
    ".system": Bomb(os.system, "true"),
    ".eval": Bomb(eval, "1"),
    ".getattr": Bomb(getattr, "x", "upper"),
    "collections.OrderedDict": collections.OrderedDict(),
    "numpy.fromfile": Bomb(np.fromfile, "x"),
    "Mine": Mine(),
    "a list": [1],
    "a tuple": (None,),
    "a dict": {},
    "a bytes": b"x",
    "array of NumPy": np.zeros(3),
    "dtype of NumPy": np.dtype("f4"),
    "ndarray of NumPy": np.ndarray,
}


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize("named", BOMBS)
@pytest.mark.parametrize("wrapped", ["in an array", "alone"])
def test_anything_else_is_refused_and_named(path, monkeypatch, named, wrapped, protocol):
    bomb = BOMBS[named]
    if wrapped == "alone" and named == "array of NumPy":
        pytest.skip("that is what stands there")
    write(path, {"a/b": pickle.dumps(as_object(bomb) if wrapped == "in an array" else bomb, protocol)}, n=np.asarray(1))
    monkeypatch.setattr(os, "system", lambda _: pytest.fail("was run"))
    monkeypatch.setattr(builtins, "eval", lambda _: pytest.fail("was run"))
    loaded = Values(**{"n": 5, "a/b": None})
    with pytest.raises(FileForbidden) as caught:
        load_chainer_npz(path, loaded)
    assert caught.value.key == "a/b"
    assert named in caught.value.asked
    assert loaded.values == {"n": 5, "a/b": None}
    assert pickle.loads(pickle.dumps(caught.value)).asked == caught.value.asked
    load_chainer_npz(path, loaded, ignore_names="a/b")
    assert loaded.values == {"n": 1, "a/b": None}


def test_states_that_numpy_would_trust(path):
    """Each is memory that is not there, or is taken for pointers, if handed to NumPy's own ``__setstate__``."""

    class Dtype:
        def __init__(self, code, *state):
            self.code, self.state = code, state

        def __reduce__(self):
            return (np.dtype, (self.code, False, True), *([self.state] if self.state else []))

    class Array:
        def __init__(self, *state):
            self.state = state

        def __reduce__(self):
            return np.empty(0, object).__reduce__()[0], (np.ndarray, (0,), b"b"), self.state

    class Scalar:
        def __init__(self, *arguments):
            self.arguments = arguments

        def __reduce__(self):
            return np.float64(0).__reduce__()[0], self.arguments

    objects = Dtype("O8", 3, "|", None, None, None, -1, -1, 63)
    fields = Dtype("V8", 3, "|", None, ("f",), {"f": (Dtype("O8"), 0)}, 8, 1, 0)
    for bad in (
        Array(1, (2,), objects, False, b"\xff" * 16),
        Array(1, (3,), objects, False, [None]),
        Array(1, (), objects, False, [1, 2]),
        Array(1, (-1,), objects, False, []),
        Array(1, (1,), fields, False, b"\xff" * 8),
        Array(1, (1 << 60,), Dtype("f8"), False, b""),
        Array(1, (1,), objects, False, [Scalar(objects, b"\xff" * 8)]),
        Array(1, (1,), objects, False, [Scalar(fields, b"\xff" * 8)]),
        Array(1, (1,), objects, False, [Scalar(Dtype("f8"), b"")]),
        Array(1, (1,), objects, False, [Scalar(Dtype("S5"), b"12")]),
        Array(1, (1,), objects, False, [Scalar(Dtype("f8, O"), b"\xff" * 16)]),
        Array(1, (), objects, False, [Array(1, (), objects, False, [None])]),
        Array(),
    ):
        write(path, {"x": pickle.dumps(bad, 2)})
        with pytest.raises(FileRefused):
            load_chainer_npz(path, Values(x=None))


def test_functions_cannot_be_changed_for_the_next_file(path):
    """BUILD sets attributes of what is on the stack: here of a stand-in, which dies with it."""
    evil = b"cnumpy\ndtype\n(dS'__call__'\nI1\nsb."
    evil_slots = b"\x80\x02cnumpy\ndtype\nN}X\x04\x00\x00\x00nameX\x05\x00\x00\x00arrays\x86b."
    for content in (evil, evil_slots):
        write(path, {"x": content})
        with pytest.raises(FileRefused):
            load_chainer_npz(path, Values(x=None))
    write(path, x=as_object(np.float32(2)))
    loaded = Values(x=0.0)
    load_chainer_npz(path, loaded)
    assert loaded.values["x"] == 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(st.data())
def test_damaged_pickles_are_refused_or_harmless(path, data):
    content = bytearray(pickle.dumps(as_object(data.draw(SCALARS)), data.draw(st.integers(0, 4))))
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    write(path, {"x": bytes(content[: data.draw(st.integers(0, len(content)))])})
    loaded = Values(x=None)
    try:
        load_chainer_npz(path, loaded)
    except FileRefused:
        assert loaded.values["x"] is None
    else:
        assert loaded.values["x"] is None or isinstance(
            loaded.values["x"], (bool, int, float, complex, str, np.generic, np.ndarray)
        )


def test_bytes_after_a_pickle_are_refused(path):
    write(path, {"x": pickle.dumps(as_object(None), 2) + b"!"})
    with pytest.raises(FileDamaged, match="bytes are left over"):
        load_chainer_npz(path, Values(x=None))
