"""NumPy's npz format: one array for each value, named by its path (``updater/model:main/l1/W``)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import IO, Any

import numpy as np

from renga_core.backend import is_array
from renga_core.serializers.errors import FileMismatched
from renga_core.serializers.formats import Names
from renga_core.serializers.protocol import AbstractSerializer, Deserializer, Serializable, Serializer
from renga_serializers.archive import Archive, open_archive, write_archive
from renga_serializers.atomic import atomic_write
from renga_serializers.headers import header_of
from renga_serializers.paths import find_file
from renga_serializers.transaction import load_whole
from renga_serializers.values import Misfit, check_header, decode, encode, put

__all__ = ["Arrays", "DictionarySerializer", "NpzDeserializer", "NpzFormat", "load_arrays", "load_npz", "save_npz"]

Arrays = Mapping[str, np.ndarray[Any, Any]]


class DictionarySerializer(Serializer):
    """Saves an object to a dictionary of NumPy arrays, one for each value, by path.

    NumPy arrays are not copied: the dictionary shares them with the object.

    Args:
        target: The dictionary; a new one if None.
        path: Prefix of each key; ends with a slash unless it is empty.

    Attributes:
        target: The dictionary.
    """

    def __init__(self, target: dict[str, np.ndarray[Any, Any]] | None = None, path: str = "") -> None:
        self.target: dict[str, np.ndarray[Any, Any]] = {} if target is None else target
        self.path = path

    def __getitem__(self, key: str) -> AbstractSerializer:
        return DictionarySerializer(self.target, _child(self.path, key))

    def __call__(self, key: str, value: Any) -> Any:
        """Store `value`. Raises TypeError if it cannot be stored without pickling."""
        path = self.path + key.lstrip("/")
        try:
            self.target[path] = encode(value)
        except TypeError as error:
            raise TypeError(f"cannot save {path!r}: {error}") from None
        return value


class NpzDeserializer(Deserializer):
    """Loads an object from arrays by path: a dictionary, or the result of `numpy.load` for an npz file.

    It loads value by value, so an error leaves the object partly loaded. `load_npz` does not.

    Args:
        npz: The arrays.
        path: Prefix of each key; ends with a slash unless it is empty.
        strict: Refuse a missing key, or an array of another dtype. Otherwise a value whose key is missing is unchanged,
            and arrays are converted within their kind (float64 to float32, for example).
        ignore_names: Paths whose values stay unchanged: a path, a function that decides for a path, or a list of both.
    """

    def __init__(
        self, npz: Arrays, path: str = "", strict: bool = True, ignore_names: Names | Iterable[Names] | None = None
    ) -> None:
        self.npz = npz
        self.path = path
        self.strict = strict
        self.ignore_names = _as_list(ignore_names)

    def __getitem__(self, key: str) -> AbstractSerializer:
        return NpzDeserializer(self.npz, _child(self.path, key), self.strict, self.ignore_names)

    def __call__(self, key: str, value: Any) -> Any:
        """Return the value stored under `key`.

        Raises:
            KeyError: The key is missing.
            ValueError: Its shape, dtype or type differs from `value`.
        """
        path = self.path + key.lstrip("/")
        if self._stays(path):
            return value
        try:
            stored = self._read(path, value)
        except Misfit as misfit:
            raise ValueError(f"{path} {misfit}") from None
        if is_array(value) and stored is not None:
            put(stored, value)
            return value
        return stored

    def _read(self, path: str, value: Any) -> Any:
        header = header_of(self.npz, path)
        if header is not None:
            check_header(header, value, self.strict)
        return decode(self.npz[path], value, self.strict)

    def _stays(self, path: str) -> bool:
        ignored = any(name(path) if callable(name) else name == path for name in self.ignore_names)
        return ignored or (not self.strict and path not in self.npz)


class _Rehearsal(NpzDeserializer):
    """Returns stored scalars, compares arrays without changing them, and records each difference."""

    def __init__(
        self, npz: Arrays, path: str, strict: bool, ignore_names: Iterable[Names] | None, differences: list[str]
    ) -> None:
        super().__init__(npz, path, strict, ignore_names)
        self.differences = differences

    def __getitem__(self, key: str) -> AbstractSerializer:
        return _Rehearsal(self.npz, _child(self.path, key), self.strict, self.ignore_names, self.differences)

    def __call__(self, key: str, value: Any) -> Any:
        path = self.path + key.lstrip("/")
        if self._stays(path):
            return value
        if path not in self.npz:
            self.differences.append(f"{path} is missing")
            return value
        try:
            stored = self._read(path, value)
        except Misfit as misfit:
            self.differences.append(f"{path} {misfit}")
            return value
        # If the current value is None, an array would initialize a parameter: that must wait.
        return value if is_array(value) or (value is None and isinstance(stored, (np.ndarray, np.generic))) else stored


def save_npz(file: str | os.PathLike[str] | IO[bytes], obj: Serializable, compression: bool = True) -> None:
    """Save an object to an npz file. Arrays on a device are copied to the host.

    Args:
        file: Path, written atomically and exactly as given (no suffix is added); or an open binary file.
        obj: Object with a ``serialize`` method.
        compression: Compress the arrays.

    Raises:
        TypeError: The object contains a value that cannot be stored without pickling.
        OSError: The file cannot be written; an existing file is unchanged.
    """
    serializer = DictionarySerializer()
    serializer.save(obj)
    if isinstance(file, (str, os.PathLike)):
        with atomic_write(file) as opened:
            write_archive(opened, serializer.target, compression)
    else:
        write_archive(file, serializer.target, compression)


def load_npz(
    file: str | os.PathLike[str] | IO[bytes],
    obj: Serializable,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load an npz file into an object. If anything is wrong with the file, the object is unchanged.

    Args:
        file: Path, or an open binary file. If the file does not exist, ``.npz`` is appended to the name.
        obj: Object with a ``serialize`` method.
        path: Path of the object in the file: ``"updater/model:main"`` selects the model in a trainer's snapshot.
        strict: Refuse the file if a key is missing or a dtype differs. Otherwise such a value is unchanged, or is
            converted within its kind (float64 to float32, for example).
        ignore_names: Paths (including `path`) whose values stay unchanged: a path, a function that decides for a path,
            or a list of both.

    Raises:
        FileDamaged: The file is not an npz file, is truncated or altered, or contains pickled objects.
        FileMismatched: The file lacks keys, or shapes, dtypes or types differ; the message lists all differences.
        OSError: The file cannot be opened.
    """
    if isinstance(file, (str, os.PathLike)):
        file = find_file(file, ".npz")
    with open_archive(file) as archive:
        load_arrays(archive, archive.name, obj, path, strict, ignore_names)


def load_arrays(
    arrays: Arrays,
    name: str,
    obj: Serializable,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load arrays by path into an object, from any kind of file, all or nothing.

    Args:
        arrays: The arrays.
        name: Name of the file, for messages.
        obj, path, strict, ignore_names: See `load_npz`.

    Raises:
        FileRefused: See `load_npz`, or `arrays` raises it.
    """
    prefix = path.rstrip("/") + "/" if path else ""
    names = _as_list(ignore_names)
    try:
        load_whole(
            obj,
            name,
            rehearse=lambda differences: _Rehearsal(arrays, prefix, strict, names, differences),
            load=NpzDeserializer(arrays, prefix, strict, names),
        )
    except FileMismatched:
        # Headers are read before checksums are compared, so an altered header looks like another object's file.
        if isinstance(arrays, Archive):
            arrays.verify()
        raise


class NpzFormat:
    """The format, for choosing by suffix: `renga_core.serializers.FileFormat`."""

    save = staticmethod(save_npz)
    load = staticmethod(load_npz)


def _child(path: str, key: str) -> str:
    return f"{path}{key.strip('/')}/"


def _as_list(names: Names | Iterable[Names] | None) -> list[Names]:
    if names is None:
        return []
    return [names] if isinstance(names, str) or callable(names) else list(names)
