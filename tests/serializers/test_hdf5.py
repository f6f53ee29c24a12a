import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_core.errors import RengaError
from renga_core.serializers import FileDamaged, FileMismatched
from renga_serializers.hdf5 import HDF5Deserializer, HDF5Serializer, load_hdf5, save_hdf5
from renga_serializers.npz import load_npz, save_npz

h5py = pytest.importorskip("h5py", reason="needs h5py: pip install 'renga[hdf5]'")

NUMBERS = (
    hnp.boolean_dtypes() | hnp.integer_dtypes() | hnp.floating_dtypes(sizes=(16, 32, 64)) | hnp.complex_number_dtypes()
)
ARRAYS = hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
# HDF5's texts end with a zero byte, and surrogates are no UTF-8.
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | TEXTS
    | st.lists(st.integers(0, 9), min_size=1)
)


class Values:
    """Values by path; a slash descends."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for path, value in self.values.items():
            *parents, key = path.split("/")
            inner = serializer
            for parent in parents:
                inner = inner[parent]
            self.values[path] = inner(key, value)


def blank(value):
    """What a new object has where a saved one has `value`."""
    if isinstance(value, np.ndarray):
        return np.zeros_like(value)
    return value if value is None else type(value)(*([[0] * len(value)] if isinstance(value, list) else []))


@pytest.mark.parametrize("suffix", [".h5", ".hdf5"])
def test_a_name_without_its_suffix(tmp_path, suffix):
    save_hdf5(tmp_path / f"best_iter_68{suffix}", Values(n=5))
    load_hdf5(tmp_path / "best_iter_68", loaded := Values(n=0))
    assert loaded.values == {"n": 5}
    save_hdf5(tmp_path / "best_iter_68", Values(n=7))
    load_hdf5(str(tmp_path / "best_iter_68"), loaded)
    assert loaded.values == {"n": 7}
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_hdf5(tmp_path / "nowhere", loaded)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(ARRAYS, ARRAYS, SCALARS, SCALARS, st.sampled_from([None, 0, 4]))
def test_round_trip(tmp_path, x, y, a, b, compression):
    names = {"x": x, "deep/er/y": y, "a": a, "deep/b": b}
    save_hdf5(tmp_path / "file", Values(**names), compression)
    loaded = Values(**{name: blank(value) for name, value in names.items()})
    load_hdf5(tmp_path / "file", loaded)
    for name, value in names.items():
        np.testing.assert_equal(loaded.values[name], value)
        assert type(loaded.values[name]) is type(value)
        assert getattr(loaded.values[name], "dtype", None) == getattr(value, "dtype", None)


def test_an_array_where_there_was_none_is_new(tmp_path):
    save_hdf5(tmp_path / "file", Values(late=np.arange(3.0), text="words"))
    loaded = Values(late=None, text=None)
    load_hdf5(tmp_path / "file", loaded)
    assert (loaded.values["late"].tolist(), loaded.values["text"]) == ([0, 1, 2], "words")


def test_arrays_are_filled_in_place_and_parts_are_groups(tmp_path):
    save_hdf5(tmp_path / "file", Values(**{"l1/W": np.arange(6.0).reshape(2, 3), "n": 3}))
    with h5py.File(tmp_path / "file") as file:
        assert file["l1"]["W"][1].tolist() == [3, 4, 5]
        assert file["n"][()] == 3
    array = np.zeros((2, 3))
    load_hdf5(tmp_path / "file", Values(**{"l1/W": array, "n": 0}))
    assert array.ravel().tolist() == [0, 1, 2, 3, 4, 5]


def test_what_chainer_writes_is_read(tmp_path):
    with h5py.File(tmp_path / "file", "w") as file:
        group = file.require_group("/updater/model:main")
        group.create_dataset("W", data=np.ones((2, 2), np.float32), compression=4)
        group.create_dataset("b", data=h5py.Empty("f"))
        group.create_dataset("n", data=np.asarray(7), compression=None)
    loaded = Values(W=np.zeros((2, 2), np.float32), b=None, n=0)
    with h5py.File(tmp_path / "file") as file:
        HDF5Deserializer(file["updater"])["model:main"].load(loaded)
    assert (loaded.values["W"].tolist(), loaded.values["b"], loaded.values["n"]) == ([[1, 1], [1, 1]], None, 7)


def test_serializers_by_hand(tmp_path):
    with h5py.File(tmp_path / "file", "w") as file:
        HDF5Serializer(file)["/one"]("/x", 1)
        HDF5Serializer(file.require_group("two"), None).save(Values(x=2))
    with h5py.File(tmp_path / "file") as file:
        reader = HDF5Deserializer(file)
        assert (reader["one"]("x", 0), reader("two/x", 0)) == (1, 2)
        with pytest.raises(KeyError, match="one/y"):
            reader["one"]("y", 0)
        with pytest.raises(KeyError, match="three/x"):
            reader["three"]("x", 0)
        assert HDF5Deserializer(file, strict=False)["three"]("x", 5) == 5
        assert HDF5Deserializer(file["one"])("x", 0) == 1
        with pytest.raises(ValueError, match="one/x is int64"):
            reader["one"]("x", "text")
        assert sorted(reader.npz) == ["one/x", "two/x"]
        assert len(reader.npz) == 2


def test_differences_are_listed_and_nothing_is_changed(tmp_path):
    save_hdf5(tmp_path / "file", Values(w=np.zeros((2, 3), np.float32), n=1, name="a"))
    loaded = Values(n=5, w=np.ones((3, 2), np.float32), name=4, more=np.ones(1))
    with pytest.raises(FileMismatched) as caught:
        load_hdf5(tmp_path / "file", loaded)
    assert caught.value.differences == [
        "w is float32 of shape (2, 3) in the file, but float32 of shape (3, 2) here",
        "name is text in the file, but int here",
        "more is missing",
    ]
    assert (loaded.values["n"], loaded.values["w"].min()) == (5, 1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.data())
def test_a_file_that_is_cut_or_altered_in_its_data_is_refused(tmp_path, data):
    saved = np.arange(4000.0)
    save_hdf5(tmp_path / "file", Values(w=saved), None)
    content = bytearray((tmp_path / "file").read_bytes())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        at = content.index(saved[1000:1500].tobytes())
        content[at + data.draw(st.integers(0, 3999))] ^= 1 << data.draw(st.integers(0, 7))
    (tmp_path / "file").write_bytes(content)
    loaded = Values(w=np.zeros(4000))
    with pytest.raises(FileDamaged, match="file: damaged or not an HDF5 file"):
        load_hdf5(tmp_path / "file", loaded)
    assert not loaded.values["w"].any()


def test_data_in_other_files_are_refused(tmp_path):
    save_hdf5(tmp_path / "private", Values(w=np.arange(3.0)))
    (tmp_path / "raw").write_bytes(np.arange(3.0).tobytes())
    layout = h5py.VirtualLayout((3,), np.float64)
    layout[:] = h5py.VirtualSource(str(tmp_path / "private"), "w", (3,))
    with h5py.File(tmp_path / "file", "w") as file:
        file["a"] = h5py.ExternalLink(str(tmp_path / "private"), "w")
        file.create_dataset("b", (3,), np.float64, external=[(str(tmp_path / "raw"), 0, 24)])
        file.create_virtual_dataset("c", layout)
        file["d"] = h5py.SoftLink("/nowhere")
        file["e"] = h5py.ExternalLink(str(tmp_path / "nobody"), "w")
    for key in "abc":
        with pytest.raises(FileDamaged, match=f"reading '{key}': .*in another file"):
            load_hdf5(tmp_path / "file", Values(**{key: np.zeros(3)}))
    for key in "de":
        with pytest.raises((FileDamaged, FileMismatched)):
            load_hdf5(tmp_path / "file", Values(**{key: np.zeros(3)}))


def test_other_files(tmp_path):
    (tmp_path / "text").write_text("no such thing")
    with pytest.raises(FileDamaged, match="text: damaged or not an HDF5 file"):
        load_hdf5(tmp_path / "text", Values())
    with pytest.raises(FileNotFoundError, match="nobody"):
        load_hdf5(tmp_path / "nobody", Values())
    with h5py.File(tmp_path / "refs", "w") as file:
        file.create_dataset("r", data=np.array([file.ref], dtype=h5py.ref_dtype))
    with pytest.raises(FileDamaged, match=r"reading 'r': .*not numeric"):
        load_hdf5(tmp_path / "refs", Values(r=np.zeros(1)))


def test_what_cannot_be_saved_is_named_and_the_old_file_stays(tmp_path):
    save_hdf5(tmp_path / "file", Values(x=1))
    before = (tmp_path / "file").read_bytes()
    with pytest.raises(TypeError, match="cannot save 'deep/x': object is not an array"):
        save_hdf5(tmp_path / "file", Values(**{"deep/x": object()}))
    assert (tmp_path / "file").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_model_saved_in_either_format_is_the_same(tmp_path):
    values = {"w": np.random.default_rng(0).normal(size=(3, 4)), "n": 3, "name": "x", "none": None}
    save_npz(tmp_path / "npz", Values(**values))
    save_hdf5(tmp_path / "hdf5", Values(**values))
    loaded = []
    for load, name in ((load_npz, "npz"), (load_hdf5, "hdf5")):
        new = Values(w=np.zeros((3, 4)), n=0, name="", none=None)
        load(tmp_path / name, new)
        loaded.append(new.values)
    np.testing.assert_equal(loaded[0], loaded[1])


@pytest.mark.parametrize(
    "use",
    [
        lambda: save_hdf5("x", Values()),
        lambda: load_hdf5("x", Values()),
        lambda: HDF5Serializer(None),
        lambda: HDF5Deserializer(None),
    ],
)
def test_without_h5py(monkeypatch, use):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RengaError, match=r"needs the module 'h5py'.*\nNext: pip install 'renga\[hdf5\]'"):
        use()


def test_importing_serializers_imports_no_library():
    program = "import sys, renga_core.serializers; print({'h5py', 'safetensors'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"
