"""Damage that the formats themselves would not show: in names, in what HDF5 says of data sets, in safetensors."""

import io
import json
import random
import zipfile
from typing import Any

import numpy as np
import pytest

from renga_chainer.npz import load_chainer_npz
from renga_core.serializers import FileDamaged, FileRefused
from renga_serializers.hdf5 import load_hdf5, save_hdf5
from renga_serializers.npz import DictionarySerializer, load_npz, save_npz
from renga_serializers.tensors import load_safetensors, save_safetensors


class Values:
    """Values by path."""

    def __init__(self, **values):
        self.values = values

    def serialize(self, serializer):
        for key, value in self.values.items():
            self.values[key] = serializer["part"](key, value)

    def state(self):
        target = {}
        DictionarySerializer(target).save(self)
        return {key: (value.dtype, value.shape, value.tobytes()) for key, value in target.items()}


def saved_values():
    rng = np.random.default_rng(0)
    return Values(W=rng.normal(size=(20, 30)), b=rng.normal(size=3).astype("f"), n=7, name="text", none=None)


def blank_values():
    return Values(W=np.ones((20, 30)), b=np.ones(3, "f"), n=0, name="", none=None)


FORMATS = {
    "npz": (save_npz, lambda path, obj, strict: load_npz(path, obj, strict=strict)),
    "npz, stored": (lambda path, obj: save_npz(path, obj, compression=False), lambda p, o, s: load_npz(p, o, strict=s)),
    "npz, read as Chainer's": (save_npz, lambda path, obj, strict: load_chainer_npz(path, obj, strict=strict)),
    "hdf5": (save_hdf5, lambda path, obj, strict: load_hdf5(path, obj)),
    "hdf5, not compressed": (
        lambda path, obj: save_hdf5(path, obj, None),
        lambda path, obj, strict: load_hdf5(path, obj),
    ),
    "safetensors": (save_safetensors, lambda path, obj, strict: load_safetensors(path, obj, strict=strict)),
}


@pytest.fixture(params=FORMATS)
def form(request):
    needed = request.param.partition(",")[0]
    if needed != "npz":
        pytest.importorskip("h5py" if needed == "hdf5" else needed)
    return FORMATS[request.param]


def flip(content, at, rng):
    content[at] ^= 1 << rng.randrange(8)


def zero(content, at, rng):
    end = at + rng.randrange(1, 700)
    content[at:end] = bytes(len(content[at:end]))


def cut(content, at, rng):
    del content[at:]


def append(content, at, rng):
    content += rng.randbytes(1 + at % 900)


def swap(content, at, rng):
    other, length = rng.randrange(len(content)), rng.randrange(1, 300)
    if abs(at - other) >= length and max(at, other) + length <= len(content):
        content[at : at + length], content[other : other + length] = (
            content[other : other + length],
            content[at : at + length],
        )


@pytest.mark.parametrize("damage", [flip, zero, cut, append, swap])
@pytest.mark.parametrize("strict", [True, False])
def test_damage_anywhere_is_refused_or_harmless(tmp_path, form, damage, strict):
    save, load = form
    save(tmp_path / "file", saved := saved_values())
    whole = (tmp_path / "file").read_bytes()
    rng = random.Random(1)
    refused = 0
    for at in range(0, len(whole), max(1, len(whole) // 60)):
        content = bytearray(whole)
        damage(content, at, rng)
        (tmp_path / "file").write_bytes(content)
        loaded = blank_values()
        try:
            load(tmp_path / "file", loaded, strict)
        except FileRefused as error:
            assert isinstance(error, FileDamaged), error  # noqa: PT017 - it need not be refused
            assert loaded.state() == blank_values().state()
            refused += 1
        else:
            assert loaded.state() == saved.state()
    assert refused > 20 or damage is append


def test_every_bit_of_a_name_in_an_npz_file(tmp_path):
    """One of them, flipped, once left `W` as it was, without a word."""
    save_npz(tmp_path / "file", saved_values())
    whole = (tmp_path / "file").read_bytes()
    at = whole.rindex(b"part/W.npy")
    for bit in range(8 * len("part/W.npy")):
        content = bytearray(whole)
        content[at + bit // 8] ^= 1 << bit % 8
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(FileDamaged, match="does not match its digest"):
            load_npz(tmp_path / "file", blank_values(), strict=False)


@pytest.mark.parametrize("compression", [False, True])
@pytest.mark.parametrize(("before", "after"), [("<i8", "<m8"), ("(20, 30)", "(30, 20)")])
def test_a_header_in_an_npz_file_that_looks_like_another_objects(tmp_path, compression, before, after):
    """What it says is compared before its checksum: a run would be refused, though the snapshot before is whole."""
    save_npz(tmp_path / "file", saved_values(), compression=False)
    with zipfile.ZipFile(tmp_path / "file") as archive:
        members, comment = [(info, archive.read(info)) for info in archive.infolist()], archive.comment
    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for info, member in members:
            archive.writestr(info.filename, member.replace(before.encode(), after.encode()), method)
        sizes = {info.filename: info.CRC for info, _ in members}
        for info in archive.infolist():
            info.CRC = sizes[info.filename]
        archive.comment = comment
    (tmp_path / "file").write_bytes(content.getvalue())
    for load in (load_npz, load_chainer_npz):
        loaded = blank_values()
        with pytest.raises(FileDamaged):
            load(tmp_path / "file", loaded)
        assert loaded.state() == blank_values().state()


@pytest.mark.parametrize("strict", [True, False])
def test_an_end_of_zeros_makes_an_npz_file_look_empty(tmp_path, strict):
    save_npz(tmp_path / "file", saved_values())
    content = (tmp_path / "file").read_bytes()
    end = content.rindex(b"PK\5\6") + 4
    (tmp_path / "file").write_bytes(content[:end] + bytes(len(content) - end))
    with pytest.raises(FileDamaged, match="its directory is empty"):
        load_npz(tmp_path / "file", blank_values(), strict=strict)
    save_npz(tmp_path / "file", Values())
    load_npz(tmp_path / "file", Values())


def test_a_name_in_an_npz_file_of_another_program(tmp_path):
    """It has no digest, but each name twice."""
    arrays: dict[str, Any] = {"part/W": np.zeros((20, 30)), "part/n": 3}
    np.savez(tmp_path / "file.npz", **arrays)
    load_npz(tmp_path / "file.npz", loaded := blank_values(), strict=False)
    assert (loaded.values["W"].max(), loaded.values["n"]) == (0, 3)
    content = bytearray((tmp_path / "file.npz").read_bytes())
    content[content.rindex(b"part/W.npy") + 5] ^= 1
    (tmp_path / "file.npz").write_bytes(content)
    with pytest.raises(FileDamaged, match="differ"):
        load_npz(tmp_path / "file.npz", blank_values(), strict=False)


def test_members_that_have_been_exchanged_with_their_checksums(tmp_path):
    save_npz(tmp_path / "file", Values(a=np.zeros(3), b=np.ones(3)))
    with zipfile.ZipFile(tmp_path / "file") as archive:
        members, comment = {name: archive.read(name) for name in archive.namelist()}, archive.comment
    with zipfile.ZipFile(tmp_path / "file", "w") as archive:
        archive.writestr("part/a.npy", members["part/b.npy"])
        archive.writestr("part/b.npy", members["part/a.npy"])
        archive.comment = comment
    with pytest.raises(FileDamaged, match="does not match its digest"):
        load_npz(tmp_path / "file", Values(a=np.zeros(3), b=np.zeros(3)))


def test_a_comment_of_another_program_is_no_digest(tmp_path):
    save_npz(tmp_path / "file", saved_values())
    with zipfile.ZipFile(tmp_path / "file", "a") as archive:
        archive.comment = b"made on a Monday"
    load_npz(tmp_path / "file", loaded := blank_values())
    assert loaded.state() == saved_values().state()


def test_other_readers_do_not_see_the_digest(tmp_path):
    h5py = pytest.importorskip("h5py")
    library = pytest.importorskip("safetensors.numpy")
    values = saved_values()
    save_npz(tmp_path / "file.npz", values)
    with np.load(tmp_path / "file.npz") as file:
        assert sorted(file) == [f"part/{name}" for name in sorted(values.values)]
    save_hdf5(tmp_path / "file.h5", values)
    with h5py.File(tmp_path / "file.h5") as file:
        assert list(file) == ["part"]
        assert (sorted(file["part"]), list(file.attrs)) == (sorted(values.values), [])
    save_safetensors(tmp_path / "file.safetensors", values)
    assert sorted(library.load_file(tmp_path / "file.safetensors")) == ["part/W", "part/b", "part/n"]


def test_hdf5_data_whose_place_is_lost(tmp_path):
    """In a file of another program, that is: there is nothing but what HDF5 itself says."""
    h5py = pytest.importorskip("h5py")
    for name, options in (("pieces", {"chunks": (5, 5)}), ("whole", {})):
        with h5py.File(tmp_path / name, "w") as file:
            file.create_dataset("part/W", (20, 30), "f", **options)
        with pytest.raises(FileDamaged, match=r"0 of 24 chunks exist|its data are missing"):
            load_hdf5(tmp_path / name, Values(W=np.ones((20, 30), "f")))


def test_an_hdf5_file_that_was_opened_by_hand(tmp_path):
    h5py = pytest.importorskip("h5py")
    from renga_serializers.hdf5 import HDF5Deserializer

    save_hdf5(tmp_path / "file", saved_values())
    content = bytearray((tmp_path / "file").read_bytes())
    content[-1] ^= 1
    (tmp_path / "file").write_bytes(content)
    with h5py.File(tmp_path / "file") as file, pytest.raises(FileDamaged, match="does not match its digest"):
        HDF5Deserializer(file, strict=False)
    # Who changes a file knows that it is another one.
    with h5py.File(tmp_path / "file", "r+") as file:
        HDF5Deserializer(file).load(loaded := blank_values())
    with h5py.File(io.BytesIO(), "w") as file:
        file["part/W"] = np.zeros((20, 30))
        HDF5Deserializer(file, strict=False).load(loaded)
    assert not loaded.values["W"].any()


def test_a_safetensors_file_that_another_program_has_changed_says_so(tmp_path):
    pytest.importorskip("safetensors")
    save_safetensors(tmp_path / "file", Values(w=np.zeros(3)))
    content = (tmp_path / "file").read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"]["renga_sha256"] = "f" * 64
    changed = json.dumps(header).encode()
    (tmp_path / "file").write_bytes(len(changed).to_bytes(8, "little") + changed + content[8 + length :])
    with pytest.raises(FileDamaged, match="altered since it was written"):
        load_safetensors(tmp_path / "file", Values(w=np.zeros(3)))
