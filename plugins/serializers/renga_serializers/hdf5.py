"""The HDF5 format: a group for each object, a data set for each value. Needs h5py (``renga[hdf5]``).

Files written by Chainer can be read, and Chainer can read these files. They begin with a user block, which HDF5 skips.
It contains a digest of the rest, because most of HDF5's metadata have no checksum.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from renga_core.serializers.errors import FileDamaged
from renga_core.serializers.formats import Names
from renga_core.serializers.protocol import AbstractSerializer, Serializable, Serializer
from renga_serializers.atomic import atomic_path
from renga_serializers.digest import check_label, content_digest, label
from renga_serializers.headers import HeadedArrays, Header
from renga_serializers.limits import excess
from renga_serializers.npz import NpzDeserializer, load_arrays
from renga_serializers.optional import require
from renga_serializers.paths import find_file
from renga_serializers.values import encode, is_none

__all__ = ["HDF5Deserializer", "HDF5Format", "HDF5Serializer", "load_hdf5", "open_hdf5", "save_hdf5"]

_KIND = "an HDF5 file"
_USER_BLOCK = 512
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


class HDF5Serializer(Serializer):
    """Saves an object to a group of an HDF5 file. Arrays have checksums.

    Args:
        group: An ``h5py.Group``, or a file open for writing.
        compression: Level of gzip, 0 to 9, or None.

    Raises:
        RengaError: h5py is not installed.
    """

    def __init__(self, group: Any, compression: int | None = 4) -> None:
        require("h5py", type(self).__name__, "hdf5")
        self.group = group
        self.compression = compression

    def __getitem__(self, key: str) -> AbstractSerializer:
        return HDF5Serializer(self.group.require_group(key.strip("/")), self.compression)

    def __call__(self, key: str, value: Any) -> Any:
        """Store `value`. Raises TypeError if HDF5 has no type for it."""
        name = key.lstrip("/")
        try:
            self._write(name, encode(value))
        except TypeError as error:
            raise TypeError(f"cannot save {f'{self.group.name}/{name}'.lstrip('/')!r}: {error}") from None
        return value

    def _write(self, name: str, stored: np.ndarray[Any, Any]) -> None:
        import h5py

        if is_none(stored):
            self.group.create_dataset(name, data=h5py.Empty("f"))
        elif stored.dtype.kind == "U":
            self.group.create_dataset(name, data=stored.astype(object), dtype=h5py.string_dtype())
        elif stored.size <= 1:
            self.group.create_dataset(name, data=stored)  # in one piece, without filters
        else:
            self.group.create_dataset(name, data=stored, compression=self.compression, fletcher32=True)


class HDF5Deserializer(NpzDeserializer):
    """Loads an object from a group of an HDF5 file.

    It loads value by value, so an error leaves the object partly loaded. `load_hdf5` does not.

    Args:
        group: An ``h5py.Group``, or an open file.
        strict: Refuse a missing key, or an array of another dtype; see `NpzDeserializer`.

    Raises:
        RengaError: h5py is not installed.
        FileDamaged: The content of a file opened for reading does not match its digest.
    """

    def __init__(self, group: Any, strict: bool = True) -> None:
        require("h5py", type(self).__name__, "hdf5")
        if group.file.mode == "r" and os.path.isfile(group.file.filename):  # and not a file in memory
            _check(group.file.filename)
        super().__init__(_Arrays(group), strict=strict)


class _Arrays(HeadedArrays):
    """The data sets of a group, by path. Each is read when it is requested."""

    def __init__(self, group: Any) -> None:
        self._group = group
        self._file = group.file.filename

    def __getitem__(self, key: str) -> np.ndarray[Any, Any]:
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        try:
            return self._read(found)
        except Exception as error:  # h5py raises many types for damaged files
            raise FileDamaged(self._file, f"reading {key!r}: {type(error).__name__}: {error}", _KIND) from error

    def header(self, key: str) -> Header | None:
        """The header of an array; None if it stores None, or contains texts of any length."""
        found = self._find(key)
        if found is None:
            raise KeyError(key)
        try:
            if found.shape is None or found.dtype.hasobject:
                return None
            return Header(found.dtype, found.shape, found.id.get_storage_size())
        except Exception as error:  # as above
            raise FileDamaged(self._file, f"reading {key!r}: {type(error).__name__}: {error}", _KIND) from error

    def __iter__(self) -> Iterator[str]:
        names: list[str] = []
        self._group.visit(names.append)
        return (name for name in names if self._find(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._find(key) is not None

    def _find(self, key: str) -> Any:
        import h5py

        try:
            found = self._group.get(key)
        except (KeyError, RuntimeError, OSError, ValueError) as error:
            raise FileDamaged(self._file, f"looking for {key!r}: {error}", _KIND) from error
        return found if isinstance(found, h5py.Dataset) else None

    def _read(self, found: Any) -> np.ndarray[Any, Any]:
        import h5py

        # A file may refer to data in another file, which may belong to anyone.
        if found.file.filename != self._file or found.external or found.is_virtual:
            raise ValueError("its data are in another file")
        if found.shape is None:
            return encode(None)
        _check_stored(found)
        if h5py.check_string_dtype(found.dtype) is not None:
            return _read_texts(found)
        array: np.ndarray[Any, Any] = np.asarray(found[()])
        if array.dtype.hasobject:
            raise ValueError(f"dtype {found.dtype} is not numeric")
        return array


def _read_texts(found: Any) -> np.ndarray[Any, Any]:
    """An array of texts. Raises ValueError if it needs far more memory than the file, which can repeat one text."""
    size, texts = found.file.id.get_filesize(), found.asstr()
    problem = excess(16 * found.size, found.id.get_storage_size())
    if not problem and excess(4 * found.size * size, size):  # as if each were as long as the file
        longest = 1
        for index in np.ndindex(found.shape):
            longest = max(longest, len(texts[index]))
            # Each text takes as much space as the longest.
            if problem := excess(4 * found.size * longest, size):
                break
    if problem:
        raise ValueError(f"it {problem}")
    return np.asarray(texts[()], dtype=np.str_)


def _check_stored(found: Any) -> None:
    """Raise ValueError if data are missing; HDF5 itself would return zeros."""
    if found.chunks is not None:
        wanted = math.prod(-(-size // chunk) for size, chunk in zip(found.shape, found.chunks, strict=True))
        if found.id.get_num_chunks() != wanted:
            raise ValueError(f"only {found.id.get_num_chunks()} of {wanted} chunks exist")
    elif found.size and not found.id.get_storage_size():
        raise ValueError("its data are missing")


def save_hdf5(filename: str | os.PathLike[str], obj: Serializable, compression: int | None = 4) -> None:
    """Save an object to an HDF5 file. Arrays on a device are copied to the host.

    Args:
        filename: Path, written atomically.
        obj: Object with a ``serialize`` method.
        compression: Level of gzip, 0 to 9, or None.

    Raises:
        RengaError: h5py is not installed.
        TypeError: The object contains a value that cannot be stored.
        OSError: The file cannot be written; an existing file is unchanged.
    """
    require("h5py", "save_hdf5", "hdf5")
    import h5py

    with atomic_path(filename) as temporary:
        with h5py.File(temporary, "w", userblock_size=_USER_BLOCK) as file:
            HDF5Serializer(file, compression).save(obj)
        with open(temporary, "r+b") as raw:
            block = _block(raw)
            raw.seek(0)
            raw.write(block)


def _block(file: IO[bytes]) -> bytes:
    """The user block before the HDF5 file: the digest several times, so that damage to one copy is noticed."""
    file.seek(_USER_BLOCK)
    line = label(content_digest(file)) + b"\n"
    return (line * (_USER_BLOCK // len(line))).ljust(_USER_BLOCK, b"\n")


def _check(filename: str | os.PathLike[str]) -> None:
    """Compare the digest, if there is one, before the library reads the file.

    Raises:
        FileDamaged: The digests differ.
        OSError: The file cannot be read.
    """
    with open(filename, "rb") as file:
        found = file.read(_USER_BLOCK)
        if found.startswith(_SIGNATURE):
            return  # there is no user block
        try:
            check_label(found, _block(file))
        except ValueError as error:
            raise FileDamaged(os.fspath(filename), str(error), _KIND) from None


def load_hdf5(
    filename: str | os.PathLike[str],
    obj: Serializable,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load an HDF5 file into an object. If anything is wrong with the file, the object is unchanged.

    Args:
        filename: Path. If the file does not exist, ``.h5`` or ``.hdf5`` is appended to the name.
        obj: Object with a ``serialize`` method.
        path, strict, ignore_names: See `load_npz`.

    Raises:
        RengaError: h5py is not installed.
        FileDamaged: The file is not an HDF5 file, is truncated or altered, or has its data in another file.
        FileMismatched: The file lacks keys, or shapes, dtypes or types differ; the message lists all differences.
        OSError: The file cannot be opened.
    """
    name = find_file(filename, ".h5", ".hdf5")
    with open_hdf5(name) as arrays:
        load_arrays(arrays, name, obj, path, strict, ignore_names)


@contextmanager
def open_hdf5(filename: str | os.PathLike[str]) -> Iterator[Mapping[str, np.ndarray[Any, Any]]]:
    """Open an HDF5 file as a mapping of its data sets by path. Errors as for `load_hdf5`, except `FileMismatched`."""
    require("h5py", "load_hdf5", "hdf5")
    import h5py

    _check(filename)
    try:
        file = h5py.File(filename, "r")
    except BlockingIOError:
        raise  # another process is writing it
    except OSError as error:
        raise FileDamaged(os.fspath(filename), str(error), _KIND) from error
    with file:
        yield _Arrays(file)


class HDF5Format:
    """The format, for choosing by suffix: `renga_core.serializers.FileFormat`."""

    save = staticmethod(save_hdf5)
    load = staticmethod(load_hdf5)
