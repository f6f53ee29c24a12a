import io
import json
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from renga_core.serializers import Deserializer, FileDamaged, FileMismatched, Serializer
from renga_serializers.npz import DictionarySerializer, NpzDeserializer, load_npz, save_npz


class Leaf:
    """Arrays, scalars, and a parameter that has no array yet."""

    def __init__(self, value=0.0, late=None):
        self.w = np.full((2, 3), value, np.float32)
        self.n = int(value)
        self.name = str(value)
        self.best = None
        self.late = late

    def serialize(self, serializer):
        assert isinstance(serializer, (Serializer, Deserializer))
        self.w = serializer("w", self.w)
        self.n = serializer("n", self.n)
        self.name = serializer("name", self.name)
        self.best = serializer("best", self.best)
        self.late = serializer("late", self.late)

    def state(self):
        return self.w.tolist(), self.n, self.name, self.best, None if self.late is None else self.late.tolist()


class Tree:
    def __init__(self, **children):
        self.children = children

    def serialize(self, serializer):
        for key, child in self.children.items():
            child.serialize(serializer[key])

    def state(self):
        return {key: child.state() for key, child in self.children.items()}


class Strict(Leaf):
    """Refuses what it is given, as an iterator over another dataset does."""

    def serialize(self, serializer):
        n = serializer("n", self.n)
        if isinstance(serializer, Deserializer) and n > 5:
            raise ValueError("at most 5")
        self.n = n


class Growing:
    """What it asks for depends on what it was told."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        names = json.loads(serializer("names", json.dumps(list(self.values))))
        if isinstance(serializer, Deserializer):
            self.values = dict.fromkeys(names, 0.0)
        for name in names:
            self.values[name] = serializer(f"value/{name}", self.values[name])

    def state(self):
        return dict(self.values)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.npz"


@pytest.mark.parametrize("compression", [True, False])
def test_round_trip(path, compression):
    saved = Tree(a=Leaf(1.5, np.arange(4.0)), b=Tree(c=Leaf(2)))
    save_npz(path, saved, compression)
    loaded = Tree(a=Leaf(), b=Tree(c=Leaf()))
    array = loaded.children["a"].w
    load_npz(path, loaded)
    assert loaded.state() == saved.state()
    assert loaded.children["a"].w is array, "filled in place"


def test_a_name_without_its_suffix(tmp_path):
    """Without ``.npz`` it is found, unless a file of exactly that name is there."""
    save_npz(tmp_path / "best_iter_68.npz", Leaf(5))
    for name in (tmp_path / "best_iter_68", str(tmp_path / "best_iter_68")):
        load_npz(name, leaf := Leaf())
        assert leaf.n == 5
    save_npz(tmp_path / "best_iter_68", Leaf(7))
    load_npz(tmp_path / "best_iter_68", leaf := Leaf())
    assert leaf.n == 7
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_npz(tmp_path / "nowhere", Leaf())


def test_through_open_files():
    file = io.BytesIO()
    save_npz(file, Leaf(3))
    file.seek(0)
    loaded = Leaf()
    load_npz(file, loaded)
    assert loaded.state() == Leaf(3).state()


def test_numpy_reads_it_without_pickle(path):
    save_npz(path, Tree(file=Leaf(1)))
    with np.load(path, allow_pickle=False) as npz:
        assert sorted(npz.files) == ["file/best", "file/late", "file/n", "file/name", "file/w"]
        assert npz["file/w"].tolist() == [[1, 1, 1], [1, 1, 1]]
        assert all(npz[key].dtype != object for key in npz.files)


def test_reads_what_numpy_wrote(path):
    np.savez(path, n=np.int64(3))
    loaded = Strict()
    load_npz(path, loaded)
    assert loaded.n == 3


def test_same_state_same_bytes(path, tmp_path, monkeypatch):
    save_npz(path, Leaf(1))
    monkeypatch.setattr("time.time", lambda: 0.0)
    save_npz(tmp_path / "again.npz", Leaf(1))
    assert path.read_bytes() == (tmp_path / "again.npz").read_bytes()


def test_path_takes_a_part_out(path):
    save_npz(path, Tree(a=Tree(b=Leaf(4))))
    for prefix in ("a/b", "a/b/"):
        loaded = Leaf()
        load_npz(path, loaded, path=prefix)
        assert loaded.n == 4


@pytest.mark.parametrize("ignore", ["a/w", lambda name: name.endswith("w"), ["a/w", lambda name: False]])
def test_ignored_names_stay(path, ignore):
    save_npz(path, Tree(a=Leaf(4)))
    loaded = Leaf()
    load_npz(path, Tree(a=loaded), ignore_names=ignore)
    assert loaded.n == 4
    assert loaded.w.max() == 0


def test_missing_keys(path):
    save_npz(path, Tree(a=Leaf(4)))
    loaded = Tree(a=Leaf(), b=Leaf(7))
    before = loaded.state()
    with pytest.raises(FileMismatched) as caught:
        load_npz(path, loaded)
    assert caught.value.differences == [f"b/{key} is missing" for key in ("w", "n", "name", "best", "late")]
    assert str(caught.value).startswith(
        f"{path}: does not fit the object it is loaded into:\n  - b/w is missing\n  - b/n"
    )
    assert loaded.state() == before
    load_npz(path, loaded, strict=False)
    assert loaded.state() == {"a": Leaf(4).state(), "b": Leaf(7).state()}


def test_all_differences_are_listed(path):
    save_npz(path, Leaf(1, np.zeros(3)))
    loaded: Any = Leaf()
    loaded.w = np.zeros((3, 3), np.float64)
    loaded.name = 5
    before = loaded.state()
    with pytest.raises(FileMismatched) as caught:
        load_npz(path, loaded)
    assert caught.value.differences == [
        "w is float32 of shape (2, 3) in the file, but float64 of shape (3, 3) here",
        "name is text in the file, but int here",
    ]
    assert loaded.state() == before
    assert loaded.late is None


def test_a_refusal_by_the_object_leaves_the_others_as_they_were(path):
    save_npz(path, Tree(a=Leaf(1, np.zeros(3)), b=Leaf(9)))
    loaded = Tree(a=Leaf(), b=Strict())
    with pytest.raises(FileMismatched, match="ValueError: at most 5"):
        load_npz(path, loaded)
    assert loaded.state() == Tree(a=Leaf(), b=Leaf()).state()


def test_an_object_that_had_changed_shape_changes_back(path):
    save_npz(path, Tree(a=Growing(x=1.0, y=2.0), b=Leaf(9)))
    loaded = Tree(a=Growing(z=3.0), b=Strict())
    with pytest.raises(FileMismatched):
        load_npz(path, loaded)
    assert loaded.children["a"].state() == {"z": 3.0}
    load_npz(path, loaded.children["a"], path="a")
    assert loaded.children["a"].state() == {"x": 1.0, "y": 2.0}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.data())
def test_a_damaged_file_is_refused_or_harmless(path, data):
    """Cut it, or flip a bit of it, anywhere: it is refused, and if not, every value is right."""
    saved = Tree(a=Leaf(1.5, np.arange(4.0)), b=Leaf(2))
    save_npz(path, saved, data.draw(st.booleans()))
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    loaded = Tree(a=Leaf(), b=Leaf())
    try:
        load_npz(path, loaded)
    except (FileDamaged, FileMismatched) as refused:
        assert refused.file == str(path)  # noqa: PT017 - it need not be refused
        assert loaded.state() == Tree(a=Leaf(), b=Leaf()).state()
    else:
        assert loaded.state() == saved.state()


@pytest.mark.parametrize("content", [b"", b"not an npz file", b"PK\x03\x04"])
def test_other_files(path, content):
    path.write_bytes(content)
    with pytest.raises(FileDamaged, match=r"model\.npz: damaged or not an npz file"):
        load_npz(path, Leaf())


def test_a_plain_zip_and_a_single_array_are_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("n.npy", "not an array")
    with pytest.raises(FileDamaged, match="reading 'n'"):
        load_npz(path, Strict())
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(FileDamaged):
        load_npz(path, Strict())


def test_bytes_after_an_array_are_refused(path):
    """As when the shape in a header has been made smaller: the rest would not be read, nor its checksum compared."""
    member = io.BytesIO()
    np.save(member, np.int64(3))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("n.npy", member.getvalue() + b"\0")
    with pytest.raises(FileDamaged, match="8 bytes are announced, but 9 are there"):
        load_npz(path, Strict())


def test_pickles_are_refused(path):
    class Bomb:
        def __reduce__(self):
            return pytest.fail, ("was unpickled",)

    np.savez(path, n=np.array(Bomb(), dtype=object))
    with pytest.raises(FileDamaged, match=r"reading 'n': .*pickle"):
        load_npz(path, Strict())


def test_a_missing_file_is_a_missing_file(path):
    with pytest.raises(FileNotFoundError, match=r"model\.npz"):
        load_npz(path, Leaf())


def test_what_cannot_be_saved_is_named_and_the_old_file_stays(path):
    save_npz(path, Leaf(1))
    before = path.read_bytes()
    bad = Leaf(2)
    bad.best = object()
    with pytest.raises(TypeError, match="cannot save 'x/best': object is not an array"):
        save_npz(path, Tree(x=bad))
    assert path.read_bytes() == before


def test_dictionary_serializer_by_hand():
    target = {}
    DictionarySerializer(target, "top/").save(Leaf(3))
    assert target["top/n"] == 3
    loaded = Leaf()
    NpzDeserializer(target, "top/").load(loaded)
    assert loaded.state() == Leaf(3).state()
    with pytest.raises(KeyError, match="elsewhere/w"):
        NpzDeserializer(target, "elsewhere/").load(loaded)
    with pytest.raises(ValueError, match=r"x is int64 of shape .* but str here"):
        NpzDeserializer({"x": np.array(1)})("x", "text")


def test_a_large_array_is_not_recompressed_at_a_high_level(path):
    """Random weights do not compress; the file is about as large as they are, never much larger."""
    leaf: Any = Leaf()
    leaf.w = np.random.default_rng(0).normal(size=(500, 500))
    save_npz(path, leaf)
    assert path.stat().st_size < 1.01 * leaf.w.nbytes


def test_bfloat16_is_stored_as_float32_without_loss(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="NumPy has bfloat16 from this package only")
    saved, loaded = Leaf(), Leaf()
    saved.w = np.array([[1.5, -np.inf, 3e38], [1e-38, 0, -0.1]], ml_dtypes.bfloat16)
    save_npz(tmp_path / "half.npz", saved)
    with np.load(tmp_path / "half.npz") as file:
        assert file["w"].dtype == np.float32
    loaded.w = np.zeros_like(saved.w)
    load_npz(tmp_path / "half.npz", loaded)
    assert loaded.w.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(loaded.w, saved.w)
