"""An npz file as a mapping that trusts nothing it reads."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from renga_core.serializers.errors import FileDamaged, FileRefused

if TYPE_CHECKING:
    import zipfile  # imported where it is used: with all that it needs, it takes as long as Renga's core

__all__ = ["Archive", "open_archive", "write_archive"]

_SUFFIX = ".npy"
# The same arrays give the same bytes, whenever they are saved.
_DATE = (1980, 1, 1, 0, 0, 0)


class Archive(Mapping[str, np.ndarray[Any, Any]]):
    """The arrays of an npz file by name. Each is read at its first use, checked against its checksum, and kept."""

    def __init__(self, file: zipfile.ZipFile, name: str) -> None:
        self.name = name
        self._file = file
        self._members = {m.removesuffix(_SUFFIX): m for m in file.namelist()}
        self._read: dict[str, np.ndarray[Any, Any]] = {}

    def __getitem__(self, key: str) -> np.ndarray[Any, Any]:
        if key not in self._read:
            self._read[key] = self._read_member(key, self._members[key])
        return self._read[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, key: object) -> bool:
        return key in self._members

    def read(self, key: str, stream: IO[bytes]) -> np.ndarray[Any, Any]:
        """Read one array. Raises `FileRefused`, or anything for a damaged one."""
        try:
            array: np.ndarray[Any, Any] = np.lib.format.read_array(stream, allow_pickle=False)
        except ValueError as error:
            if "allow_pickle" in str(error):
                raise ValueError(
                    "it is pickled; if Chainer has written the file, load_chainer_npz may read it"
                ) from error
            raise
        return array

    def _read_member(self, key: str, member: str) -> np.ndarray[Any, Any]:
        try:
            with self._file.open(member) as stream:
                array = self.read(key, stream)
                # The checksum is compared only when the end is reached.
                if stream.read(1):
                    raise ValueError("bytes are left over")
        except FileRefused:
            raise
        except Exception as error:  # what a damaged file makes zipfile, zlib and NumPy raise has no common type
            raise FileDamaged(self.name, f"reading {key!r}: {type(error).__name__}: {error}") from error
        return array


@contextmanager
def open_archive(file: str | os.PathLike[str] | IO[bytes], kind: type[Archive] = Archive) -> Iterator[Archive]:
    """Open an npz file, given by its path or as an open binary file.

    Args:
        file: Path or open file.
        kind: Who reads it.

    Raises:
        FileDamaged: It is not one.
        OSError: It cannot be opened.
    """
    import zipfile

    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened, open_archive(opened, kind) as archive:
            yield archive
        return
    name = str(getattr(file, "name", None) or file)
    try:
        opened_zip = zipfile.ZipFile(file)
    except Exception as error:  # as above
        raise FileDamaged(name, f"{type(error).__name__}: {error}") from error
    with opened_zip:
        yield kind(opened_zip, name)


def write_archive(file: IO[bytes], arrays: Mapping[str, np.ndarray[Any, Any]], compression: bool) -> None:
    """Write arrays as an npz file, which NumPy's own ``load`` reads too."""
    import zipfile

    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w") as archive:
        for key, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            # Level 1: weights hardly compress, and higher levels take several times as long to find that out.
            info = zipfile.ZipInfo(key + _SUFFIX, _DATE)
            archive.writestr(info, member.getbuffer(), method, compresslevel=1)
