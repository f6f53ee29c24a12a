import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_core.errors import RengaError
from renga_core.serializers import FileDamaged, FileMismatched, FileRefused
from renga_serializers.tensors import load_safetensors, save_safetensors

safetensors = pytest.importorskip("safetensors", reason="needs safetensors: pip install 'renga[safetensors]'")
library = pytest.importorskip("safetensors.numpy")

NUMBERS = hnp.boolean_dtypes() | hnp.integer_dtypes(endianness="?") | hnp.floating_dtypes(sizes=(16, 32, 64))
ARRAYS = hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
)


class Values:
    """Values by name."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for key, value in self.values.items():
            self.values[key] = serializer[key]("value", value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ARRAYS, ARRAYS, SCALARS, SCALARS)
def test_round_trip(tmp_path, x, y, a, b):
    saved = {"x": x, "y": np.asfortranarray(y[..., ::-1]) if y.ndim else y, "a": a, "b": b}
    save_safetensors(tmp_path / "file", Values(**saved))
    blank = {
        k: np.zeros_like(v) if isinstance(v, np.ndarray) else v if v is None else type(v)() for k, v in saved.items()
    }
    loaded = Values(**blank)
    load_safetensors(tmp_path / "file", loaded)
    for name, value in saved.items():
        np.testing.assert_equal(loaded.values[name], value)
        assert type(loaded.values[name]) is type(value)


def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    save_safetensors(tmp_path / "file", Values(n=5))
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_name_without_its_suffix(tmp_path):
    save_safetensors(tmp_path / "best_iter_68.safetensors", Values(n=5))
    load_safetensors(tmp_path / "best_iter_68", loaded := Values(n=0))
    assert loaded.values == {"n": 5}
    save_safetensors(tmp_path / "best_iter_68", Values(n=7))
    load_safetensors(str(tmp_path / "best_iter_68"), loaded)
    assert loaded.values == {"n": 7}
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_safetensors(tmp_path / "nowhere", loaded)


def test_other_programs_read_it(tmp_path):
    array = np.arange(6.0).reshape(2, 3)
    save_safetensors(tmp_path / "file", Values(w=array, n=3, none=None, words=["a", "bc"]))
    tensors = library.load_file(tmp_path / "file")
    assert sorted(tensors) == ["n/value", "w/value"]
    np.testing.assert_array_equal(tensors["w/value"], array)
    loaded = Values(words=["", ""])
    load_safetensors(tmp_path / "file", loaded)
    assert loaded.values["words"] == ["a", "bc"]


def test_it_reads_what_others_write(tmp_path):
    library.save_file(
        {"w/value": np.ones(3, np.float32), "model/w/value": np.zeros(3)}, tmp_path / "file", {"format": "np"}
    )
    array = np.zeros(3, np.float32)
    load_safetensors(tmp_path / "file", Values(w=array))
    assert array.tolist() == [1, 1, 1]
    load_safetensors(tmp_path / "file", Values(w=array), path="model", strict=False)
    assert array.tolist() == [0, 0, 0]
    load_safetensors(tmp_path / "file", Values(w=array, v=4), ignore_names="v/value")


def test_differences_are_listed_and_nothing_is_changed(tmp_path):
    save_safetensors(tmp_path / "file", Values(a=1, w=np.zeros((2, 3)), none=None))
    loaded = Values(a=5, w=np.ones(6), none=3, more=1)
    with pytest.raises(FileMismatched) as caught:
        load_safetensors(tmp_path / "file", loaded)
    assert caught.value.differences == [
        "w/value is float64 of shape (2, 3) in the file, but float64 of shape (6,) here",
        "more/value is missing",
    ]
    assert (loaded.values["a"], loaded.values["w"].min()) == (5, 1)


@pytest.mark.parametrize("content", [b"", b"text that is no header", b"\xff" * 20])
def test_other_files(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(FileDamaged, match="file: damaged or not a safetensors file"):
        load_safetensors(tmp_path / "file", Values())


def test_files_that_are_cut(tmp_path):
    save_safetensors(tmp_path / "file", Values(w=np.arange(30.0)))
    content = (tmp_path / "file").read_bytes()
    for end in range(len(content)):
        (tmp_path / "file").write_bytes(content[:end])
        with pytest.raises(FileDamaged):
            load_safetensors(tmp_path / "file", Values(w=np.zeros(30)))


@pytest.mark.parametrize("metadata", ["no json", "[1]", '{"w": 3}', '{"w": {}}'])
def test_metadata_that_renga_has_not_written(tmp_path, metadata):
    library.save_file({}, tmp_path / "file", {"renga": metadata})
    with pytest.raises(FileDamaged, match="its metadata 'renga'"):
        load_safetensors(tmp_path / "file", Values())


def test_types_that_numpy_lacks(tmp_path):
    header = json.dumps({"w/value": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "file").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    # Where ml_dtypes is installed, NumPy has bfloat16, and only the dtype differs.
    with pytest.raises(FileRefused, match="w/value"):
        load_safetensors(tmp_path / "file", Values(w=np.zeros(2, np.float32)))


def test_what_cannot_be_saved_is_named_and_the_old_file_stays(tmp_path):
    save_safetensors(tmp_path / "file", Values(x=1))
    before = (tmp_path / "file").read_bytes()
    with pytest.raises(TypeError, match="cannot save 'x/value': safetensors has no type for dtype complex128"):
        save_safetensors(tmp_path / "file", Values(x=np.zeros(2, np.complex128)))
    assert (tmp_path / "file").read_bytes() == before
    with pytest.raises(FileNotFoundError, match="nobody"):
        load_safetensors(tmp_path / "nobody", Values())


@pytest.mark.parametrize("use", [lambda: save_safetensors("x", Values()), lambda: load_safetensors("x", Values())])
def test_without_safetensors(monkeypatch, use):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"'safetensors'.*\nNext: pip install 'renga\[safetensors\]'"):
        use()
