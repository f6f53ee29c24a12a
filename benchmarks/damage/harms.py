"""The ways in which a file is damaged. Each function yields the damaged contents of a file."""

from __future__ import annotations

import io
import json
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

__all__ = ["HARMS", "swapped_members"]

_MOST_FLIPS = 3000


def flipped_bits(whole: bytes, rng: random.Random) -> Iterator[bytes]:
    """One bit in every byte; in large files, only in every n-th byte."""
    for at in range(0, len(whole), -(-len(whole) // _MOST_FLIPS)):
        content = bytearray(whole)
        content[at] ^= 1 << rng.randrange(8)
        yield bytes(content)


def many_flipped_bits(whole: bytes, rng: random.Random) -> Iterator[bytes]:
    """Two to twenty random bits."""
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(rng.randint(2, 20)):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        yield bytes(content)


def truncated(whole: bytes, rng: random.Random) -> Iterator[bytes]:
    """The end is missing."""
    for _ in range(300):
        yield whole[: rng.randrange(len(whole))]
    for length in range(len(whole) - 100, len(whole)):
        yield whole[:length]


def zeroed(whole: bytes, rng: random.Random) -> Iterator[bytes]:
    """A range is zeros, like a block that never reached the disk."""
    for _ in range(400):
        at, length = rng.randrange(len(whole)), rng.choice([1, 16, 100, 512, 4096])
        yield (whole[:at] + bytes(length) + whole[at + length :])[: len(whole)]


def moved(whole: bytes, rng: random.Random) -> Iterator[bytes]:
    """Two ranges are exchanged."""
    for _ in range(400):
        length = rng.choice([1, 8, 64, 512])
        one, two = sorted((rng.randrange(len(whole)), rng.randrange(len(whole))))
        if two - one >= length and two + length <= len(whole):
            yield (
                b"".join((whole[:one], whole[two : two + length], whole[one + length : two], whole[one : one + length]))
                + whole[two + length :]
            )


def appended(whole: bytes, rng: random.Random) -> Iterator[bytes]:
    """Additional bytes after the end: noise, zeros, or the file again."""
    for _ in range(100):
        yield whole + rng.randbytes(rng.randint(1, 2000))
        yield whole + bytes(rng.randint(1, 2000))
    yield whole + whole


HARMS: dict[str, Callable[[bytes, random.Random], Iterator[bytes]]] = {
    "a flipped bit": flipped_bits,
    "several flipped bits": many_flipped_bits,
    "truncated": truncated,
    "a zeroed range": zeroed,
    "two ranges exchanged": moved,
    "something appended": appended,
}


def swapped_members(name: str, whole: bytes) -> Iterator[bytes]:
    """Two arrays are exchanged, or one is missing, in a file of valid format.

    Args:
        name: Name of the format.
        whole: The file, with arrays ``model/b`` and ``other/b`` of one shape.
    """
    yield from {"npz": _in_npz, "hdf5": _in_hdf5, "safetensors": _in_safetensors}[name](whole)


def _in_npz(whole: bytes) -> Iterator[bytes]:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members, comment = {key: archive.read(key) for key in archive.namelist()}, archive.comment
    one, two = "model/b.npy", "other/b.npy"
    for changed in (
        members | {one: members[two], two: members[one]},
        {key: member for key, member in members.items() if key != one},
    ):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for key, member in changed.items():
                archive.writestr(key, member)
            archive.comment = comment
        yield out.getvalue()


def _in_hdf5(whole: bytes) -> Iterator[bytes]:
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        for gone in (False, True):
            path.write_bytes(whole)
            with h5py.File(path, "r+") as file:
                file.move("model/b", "aside")
                if not gone:
                    file.move("other/b", "model/b")
                    file.move("aside", "other/b")
            yield path.read_bytes()


def _in_safetensors(whole: bytes) -> Iterator[bytes]:
    end = 8 + int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:end])
    one, two = header["model/b"]["data_offsets"], header["other/b"]["data_offsets"]
    header["model/b"]["data_offsets"], header["other/b"]["data_offsets"] = two, one
    text = json.dumps(header, separators=(",", ":")).encode()
    yield len(text).to_bytes(8, "little") + text + whole[end:]
