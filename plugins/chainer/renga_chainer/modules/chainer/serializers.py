"""``chainer.serializers``: files in Chainer's format, which Chainer can read too. Nothing is unpickled.

Chainer stores None as a pickled array of one object. This module writes constant bytes for it; Renga's reader of
Chainer's files recognizes them and runs nothing. Values are loaded one by one as in Chainer: a missing value raises
`KeyError`, which a program's ``serialize`` may catch.
"""

from __future__ import annotations

import copy
import io
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import IO, Any

import numpy as np

from renga_chainer.npz import ChainerArchive
from renga_core.backend import is_array, to_host
from renga_core.errors import did_you_mean
from renga_core.serializers import AbstractSerializer, Deserializer, FileRefused, Serializer
from renga_serializers.archive import Archive, add_digest, open_archive
from renga_serializers.atomic import atomic_write
from renga_serializers.hdf5 import HDF5Serializer as HDF5Serializer
from renga_serializers.hdf5 import open_hdf5
from renga_serializers.hdf5 import save_hdf5 as _save_hdf5
from renga_serializers.headers import header_of
from renga_serializers.limits import excess
from renga_serializers.values import is_none, put
from renga_training import Trainer

__all__ = [
    "DictionarySerializer",
    "HDF5Deserializer",
    "HDF5Serializer",
    "NpzDeserializer",
    "load_hdf5",
    "load_npz",
    "save_hdf5",
    "save_npz",
    "serialize",
]

Names = str | Callable[[str], bool]

_OF_A_TRAINER = ("updater/", "stop_trigger/", "extensions/", "extension_triggers/", "_snapshot_elapsed_time")
"""Prefixes of the names in a trainer's snapshot."""

_PICKLED_NONE = (
    b"\x80\x03cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02C\x01bq\x03\x87q\x04Rq\x05"
    b"(K\x01)cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\x07\x89\x88\x87q\x08Rq\t(K\x03X\x01\x00\x00\x00|q\nNNNJ\xff\xff"
    b"\xff\xffJ\xff\xff\xff\xffK?tq\x0bb\x89]q\x0cNatq\rb."
)
"""The bytes of ``np.array(None)`` pickled by NumPy 1; those of NumPy 2 name a module that NumPy 1 lacks."""


class NothingInFile(FileRefused, KeyError):
    """The file lacks a value. Also a `KeyError`, which Chainer's programs catch."""

    __str__ = FileRefused.__str__  # KeyError would show the message in quotes


class DictionarySerializer(Serializer):
    """Saves an object into a dictionary of NumPy arrays by path. None becomes an array of one object.

    Attributes:
        target: The dictionary.
    """

    def __init__(self, target: dict[str, Any] | None = None, path: str = "") -> None:
        self.target: dict[str, Any] = {} if target is None else target
        self.path = path

    def __getitem__(self, key: str) -> DictionarySerializer:
        return DictionarySerializer(self.target, f"{self.path}{key.strip('/')}/")

    def __call__(self, key: str, value: Any) -> Any:
        """Store a copy of `value`, and return `value`."""
        stored = np.array(to_host(value) if is_array(value) else value)
        if stored.dtype.hasobject and value is not None:
            raise TypeError(
                f"cannot save {self.path + key.lstrip('/')!r}: {type(value).__qualname__} is not an array, a number, a "
                "text, a list of those, or None. Chainer would pickle it; save its parts, or json.dumps of it"
            )
        self.target[self.path + key.lstrip("/")] = stored
        return value


def serialize(obj: Any) -> dict[str, Any]:
    """Return an object as a dictionary of arrays by path."""
    serializer = DictionarySerializer()
    serializer.save(obj)
    return serializer.target


def save_npz(file: str | os.PathLike[str] | IO[bytes], obj: Any, compression: bool = True) -> None:
    """Save an object, or a dictionary of arrays, to an npz file in Chainer's format. Raises as `renga.save_npz`."""
    arrays = obj if isinstance(obj, dict) else serialize(obj)
    if isinstance(file, (str, os.PathLike)):
        with atomic_write(file) as opened:
            _write(opened, arrays, compression)
    else:
        _write(file, arrays, compression)


def save_hdf5(filename: str | os.PathLike[str], obj: Any, compression: int | None = 4) -> None:
    """Save an object, or a dictionary of arrays by path, to an HDF5 file. Raises as `renga.save_hdf5`."""
    _save_hdf5(filename, _Dictionary(obj) if isinstance(obj, dict) else obj, compression)


class _Dictionary:
    """Makes an object that can be saved from arrays by path."""

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self._arrays = arrays

    def serialize(self, serializer: AbstractSerializer) -> None:
        for path, value in self._arrays.items():
            *parents, key = path.strip("/").split("/")
            inner = serializer
            for parent in parents:
                inner = inner[parent]
            none = isinstance(value, np.ndarray) and value.shape == () and value[()] is None
            inner(key, None if none else value)


def _write(file: IO[bytes], arrays: Mapping[str, Any], compression: bool) -> None:
    import zipfile

    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED) as archive:
        for key, value in arrays.items():
            array: Any = np.asarray(to_host(value) if is_array(value) else value)
            member = io.BytesIO()
            if array.shape == () and array.dtype.hasobject and array[()] is None:
                header = {"descr": "|O", "fortran_order": False, "shape": ()}
                np.lib.format.write_array_header_1_0(member, header)
                member.write(_PICKLED_NONE)
            else:
                np.lib.format.write_array(member, array, allow_pickle=False)
            archive.writestr(key + ".npy", member.getbuffer())
        add_digest(archive)


class NpzDeserializer(Deserializer):
    """Loads an object from arrays by path, as Chainer does.

    Args:
        npz: The arrays.
        path: Put before each key.
        strict: Raise an error for a missing key. Otherwise its value does not change.
        ignore_names: Paths of values that must not change: a path, a predicate of a path, or a list of both.
    """

    def __init__(
        self,
        npz: Mapping[str, Any],
        path: str = "",
        strict: bool = True,
        ignore_names: Names | Iterable[Names] | None = None,
    ) -> None:
        self.npz = npz
        self.path = path
        self.strict = strict
        single = isinstance(ignore_names, str) or callable(ignore_names)
        self.ignore_names: list[Any] = [ignore_names] if single else list(ignore_names or ())  # type: ignore[arg-type]  # no name by itself

    def __getitem__(self, key: str) -> NpzDeserializer:
        return NpzDeserializer(self.npz, f"{self.path}{key.strip('/')}/", self.strict, self.ignore_names)

    def __call__(self, key: str, value: Any) -> Any:
        """Load the value stored under `key`.

        Raises:
            KeyError: The key is missing.
            ValueError, TypeError: The stored shape or type does not fit `value`.
        """
        path = self.path + key.lstrip("/")
        if not self.strict and path not in self.npz:
            return value
        if self.ignores(path):
            return value
        if path not in self.npz:
            raise KeyError(f"{path} is not in the file.{did_you_mean(path, list(self.npz))}")
        _check_header(self.npz, path, value)
        stored = np.asarray(self.npz[path])
        if is_none(stored) or (stored.shape == () and stored[()] is None):
            return None
        if value is None:
            return stored
        if is_array(value):
            _check_shape(path, stored.shape, value)
            put(stored.astype(value.dtype, casting="same_kind", copy=False), value)
            return value
        kind = type(value)
        is_integer = stored.dtype.kind in "iu" and kind is int
        if stored.dtype.kind in "iufc" and not is_integer and not np.can_cast(stored.dtype, kind, "safe"):
            raise TypeError(f"{path} is {stored.dtype} in the file; it cannot be converted to {kind.__name__}")
        return kind(stored[()] if stored.shape == () else stored.tolist())

    def ignores(self, path: str) -> bool:
        """Whether `ignore_names` excludes the path."""
        return any(name(path) if callable(name) else name == path for name in self.ignore_names)


def _check_header(arrays: Mapping[str, Any], path: str, value: Any) -> None:
    """Check type and shape of a stored value before reading it, because it may be large. Raises ValueError."""
    header = header_of(arrays, path)
    if header is not None and not is_none(header):
        if is_array(value):
            _check_shape(path, header.shape, value)
        elif problem := excess(header.nbytes, header.packed):
            raise ValueError(f"{path} {problem}")


def _check_shape(path: str, shape: tuple[int, ...], array: Any) -> None:
    if shape != tuple(array.shape):
        raise ValueError(f"{path} has shape {shape} in the file, but {tuple(array.shape)} in the object")


class HDF5Deserializer(NpzDeserializer):
    """Loads an object from a group of an HDF5 file.

    Args:
        group: An ``h5py.Group``, or an open file; None for a group that the file lacks.
        strict: Raise an error for a missing key.
    """

    def __init__(self, group: Any, strict: bool = True) -> None:
        from renga_serializers.hdf5 import HDF5Deserializer as Renga

        super().__init__({} if group is None else Renga(group).npz, strict=strict)
        self.group = group

    def __getitem__(self, key: str) -> HDF5Deserializer:
        """Return the deserializer of a child: an HDF5Deserializer for its group."""
        child = copy.copy(self)
        child.path = f"{self.path}{key.strip('/')}/"
        child.group = None if self.group is None else self.group.get(key.strip("/"))
        return child


def load_npz(
    file: str | os.PathLike[str] | IO[bytes],
    obj: Any,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load an npz file of Chainer, or of Renga with Chainer's names, into an object, value by value.

    Args:
        file: Path, or an open binary file.
        obj: Object with a ``serialize`` method.
        path: Path of the object in the file: ``"updater/model:main/"`` loads the model from a trainer's snapshot.
        strict, ignore_names: See `NpzDeserializer`.

    Raises:
        FileRefused: The file is damaged, or contains a pickle that would run code; or it was saved from another kind of
            object, such as a trainer instead of a model. (Also a KeyError, if `obj` has no values.)
        KeyError, ValueError, TypeError: A value is missing or does not fit.
    """
    with open_archive(file, ChainerArchive) as archive:
        prefix = path if not path or path.endswith("/") else path + "/"
        _load(NpzDeserializer(archive, prefix, strict, ignore_names), archive.name, obj)


def load_hdf5(filename: str | os.PathLike[str], obj: Any) -> None:
    """Load an HDF5 file into an object, value by value. Raises as `load_npz`, and `RengaError` without h5py."""
    with open_hdf5(filename) as arrays:
        _load(NpzDeserializer(arrays), os.fspath(filename), obj)


def _load(deserializer: NpzDeserializer, name: str, obj: Any) -> None:
    """Load a file. Load a saved object's part, or explain that another kind of object was saved."""
    arrays, path = deserializer.npz, deserializer.path
    held = ", ".join(sorted(arrays)[:3])
    of_trainer = isinstance(obj, Trainer)
    if of_trainer and not path and not any(key.startswith(_OF_A_TRAINER) for key in arrays):
        raise FileRefused(
            name,
            f"is not a snapshot of a trainer (it has {held} …) but is loaded into a {type(obj).__name__}. If it is a "
            f"model's file: load_npz(file, model); extensions.snapshot() saves a whole run",
        )
    _read_first(deserializer, obj)
    try:
        deserializer.load(obj)
    except KeyError as error:
        if of_trainer:
            raise
        keys = _Keys({})
        keys.save(obj)
        if any(path + key in arrays for key in keys.found):
            raise
        first = next(iter(keys.found))
        places = {key.removesuffix(first) for key in arrays if key.endswith("/" + first)}
        fitting = {place: sum(place + key in arrays for key in keys.found) for place in sorted(places)}
        places = {place for place, count in fitting.items() if count == max(fitting.values())}
        kind = "is a snapshot of a whole trainer" if "updater/iteration" in arrays else f"has {held} …"
        hint = (
            f": load_npz(file, object, {' or '.join(f'path={place!r}' for place in sorted(places))})" if places else ""
        )
        raise NothingInFile(
            name,
            f"{kind}, but is loaded into a {type(obj).__name__}, "
            + (f"which is a part of it{hint}" if places else "which it does not contain"),
        ) from error


def _read_first(deserializer: NpzDeserializer, obj: Any) -> None:
    """Read all values of the object first (the archive caches them), so that damage is found before loading."""
    archive = deserializer.npz
    if not isinstance(archive, Archive):
        return
    keys = _Keys({})
    with suppress(Exception):  # a program's `serialize` may support loading only
        keys.save(obj)
    for key, value in keys.found.items():
        path = deserializer.path + key
        if path not in archive or deserializer.ignores(path):
            continue
        try:
            _check_header(archive, path, value)
        except FileRefused:
            raise
        except ValueError:
            # Loading reports the error, unless damage is the cause.
            archive.verify()
        else:
            archive[path]


class _Keys(Serializer):
    """Records the names under which an object is saved."""

    def __init__(self, found: dict[str, Any], path: str = "") -> None:
        self.found = found
        self.path = path

    def __getitem__(self, key: str) -> _Keys:
        return _Keys(self.found, f"{self.path}{key.strip('/')}/")

    def __call__(self, key: str, value: Any) -> Any:
        self.found[self.path + key.lstrip("/")] = value
        return value
