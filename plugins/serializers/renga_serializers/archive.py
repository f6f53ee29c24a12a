"""Reading npz files as mappings, with checks of everything that is read."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from renga_core.serializers.errors import FileDamaged, FileRefused
from renga_serializers.digest import check_label, label
from renga_serializers.headers import HeadedArrays, Header
from renga_serializers.limits import excess

if TYPE_CHECKING:
    import zipfile  # imported where it is used: with its dependencies it takes as long as Renga's core

__all__ = ["Archive", "add_digest", "open_archive", "write_archive"]

_SUFFIX = ".npy"
_HEADERS: dict[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
# The same arrays give the same bytes at any time.
_DATE = (1980, 1, 1, 0, 0, 0)


class Archive(HeadedArrays):
    """The arrays of an npz file by name. Each is read at its first use, checked against its checksum, and kept."""

    def __init__(self, file: zipfile.ZipFile, name: str) -> None:
        self.name = name
        self._file = file
        self._size = _size(file)
        self._members = {m.removesuffix(_SUFFIX): m for m in file.namelist()}
        self._read: dict[str, np.ndarray[Any, Any]] = {}
        self._headers: dict[str, Header | None] = {}

    def __getitem__(self, key: str) -> np.ndarray[Any, Any]:
        if key not in self._read:
            self.header(key)
            self._read[key] = self._reading(key, self._read_member)
        return self._read[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, key: object) -> bool:
        return key in self._members

    def header(self, key: str) -> Header | None:
        """The header of an array; None if it contains objects."""
        if key not in self._headers:
            self._headers[key] = self._reading(key, self._read_header)
        return self._headers[key]

    def verify(self) -> None:
        """Compare all checksums, without keeping the data. Raises `FileDamaged`."""
        try:
            damaged = self._file.testzip()
        except Exception as error:  # as below
            raise FileDamaged(self.name, f"{type(error).__name__}: {error}") from error
        if damaged is not None:
            raise FileDamaged(self.name, f"{damaged!r} has another checksum")

    def read(self, key: str, stream: IO[bytes]) -> np.ndarray[Any, Any]:
        """Read one array. Raises `FileRefused`, or any error if it is damaged."""
        try:
            array: np.ndarray[Any, Any] = np.lib.format.read_array(stream, allow_pickle=False)
        except ValueError as error:
            if "allow_pickle" in str(error):
                raise ValueError(
                    "it is pickled; if Chainer has written the file, renga.serializers.load_chainer_npz may read it"
                ) from error
            raise
        return array

    def _read_member(self, key: str, stream: IO[bytes]) -> np.ndarray[Any, Any]:
        array = self.read(key, stream)
        # The checksum is compared only at the end.
        if stream.read(1):
            raise ValueError("bytes are left over")
        return array

    def _read_header(self, key: str, stream: IO[bytes]) -> Header | None:
        member = self._file.getinfo(self._members[key])
        packed = min(member.compress_size, self._size)
        version = np.lib.format.read_magic(stream)
        if version not in _HEADERS:
            raise ValueError(f"version {version} of the format, which is used for names of fields")
        shape, _, dtype = _HEADERS[version](stream)
        if dtype.hasobject:
            if too_much := excess(member.file_size, packed):
                raise ValueError(f"it {too_much}")
            return None
        header = Header(dtype, shape, packed)
        # Before NumPy allocates the memory.
        if header.nbytes != member.file_size - stream.tell():
            raise ValueError(f"{header.nbytes} bytes are announced, but {member.file_size - stream.tell()} are there")
        return header

    def _reading(self, key: str, read: Callable[[str, IO[bytes]], Any]) -> Any:
        """Apply `read` to a member."""
        member = self._members[key]
        try:
            with self._file.open(member) as stream:
                return read(key, stream)
        except FileRefused:
            raise
        except Exception as error:  # zipfile, zlib and NumPy raise many types for damaged files
            raise FileDamaged(self.name, f"reading {key!r}: {type(error).__name__}: {error}") from error


def _size(file: zipfile.ZipFile) -> int:
    """The size of the whole file in bytes."""
    assert file.fp is not None  # it is open
    at = file.fp.tell()
    size = file.fp.seek(0, os.SEEK_END)
    file.fp.seek(at)
    return size


@contextmanager
def open_archive(file: str | os.PathLike[str] | IO[bytes], kind: type[Archive] = Archive) -> Iterator[Archive]:
    """Open an npz file, given as a path or as an open binary file.

    Args:
        file: Path or open file.
        kind: Expected kind of file, for messages.

    Raises:
        FileDamaged: The file is not an npz file.
        OSError: The file cannot be opened.
    """
    import zipfile

    if isinstance(file, (str, os.PathLike)):
        with open(file, "rb") as opened, open_archive(opened, kind) as archive:
            yield archive
        return
    name = str(getattr(file, "name", None) or file)
    try:
        opened_zip = zipfile.ZipFile(file)
        _check(opened_zip)
    except Exception as error:  # as above
        raise FileDamaged(name, f"{type(error).__name__}: {error}") from error
    with opened_zip:
        yield kind(opened_zip, name)


def _check(file: zipfile.ZipFile) -> None:
    """Check the directory at the end, whose names say which array is which, and which ones are missing.

    The checksum of each array is compared when it is read.

    Raises:
        ValueError: The directory is not as it was written.
        Exception: Other errors that `zipfile` raises for a damaged file.
    """
    check_label(file.comment, _label(file))
    if not file.infolist() and file.start_dir:
        raise ValueError("its directory is empty, and yet there is something before it")
    for member in file.infolist():
        # Compares the name with the one stored before the array.
        file.open(member).close()
    if len(file.NameToInfo) != len(file.infolist()):
        raise ValueError("two arrays have the same name")


def _label(file: zipfile.ZipFile) -> bytes:
    members = [(member.filename, member.CRC, member.file_size) for member in file.infolist()]
    return label(hashlib.sha256(ascii(members).encode()).hexdigest().encode())


def add_digest(file: zipfile.ZipFile) -> None:
    """Write the digest of all members into the comment of an npz file that is being written."""
    file.comment = _label(file)


def write_archive(file: IO[bytes], arrays: Mapping[str, np.ndarray[Any, Any]], compression: bool) -> None:
    """Write arrays as an npz file, which NumPy's own ``load`` reads too."""
    import zipfile

    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w") as archive:
        for key, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            # Level 1: weights hardly compress, and higher levels take several times as long.
            info = zipfile.ZipInfo(key + _SUFFIX, _DATE)
            archive.writestr(info, member.getbuffer(), method, compresslevel=1)
        add_digest(archive)
