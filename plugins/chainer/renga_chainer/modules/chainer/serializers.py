"""``chainer.serializers``: files in Chainer's own layout, which Chainer reads and which are read without unpickling.

Chainer stores None as a pickled array of one object. That is written here as bytes that are always the same, and read
by Renga's reader of Chainer's files, which runs nothing. Loading is Chainer's: value by value, with `KeyError` for what
is missing, so that a program's own ``serialize`` may catch it.
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
"""How the names of what a trainer saves begin."""

_PICKLED_NONE = (
    b"\x80\x03cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02C\x01bq\x03\x87q\x04Rq\x05"
    b"(K\x01)cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\x07\x89\x88\x87q\x08Rq\t(K\x03X\x01\x00\x00\x00|q\nNNNJ\xff\xff"
    b"\xff\xffJ\xff\xff\xff\xffK?tq\x0bb\x89]q\x0cNatq\rb."
)
"""``np.array(None)`` as Chainer's NumPy pickles it. NumPy 2 would name a module that NumPy 1 has not."""


class NothingInFile(FileRefused, KeyError):
    """A file has no value of the object's. Chainer's programs catch `KeyError`."""

    __str__ = FileRefused.__str__  # KeyError's would quote the message


class DictionarySerializer(Serializer):
    """Saves an object into a dictionary of NumPy arrays by path; None is an array of one object.

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
    """An object as a dictionary of arrays by path."""
    serializer = DictionarySerializer()
    serializer.save(obj)
    return serializer.target


def save_npz(file: str | os.PathLike[str] | IO[bytes], obj: Any, compression: bool = True) -> None:
    """Save an object, or a dictionary of arrays, to an npz file as Chainer writes them. Raises as `renga.save_npz`."""
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
    """Arrays by path, as an object that can be saved."""

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
        strict: Refuse a missing key. Otherwise its value stays as it is.
        ignore_names: Paths whose values stay as they are: a path, a function that says it of a path, or a list of both.
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
        """Bring back what is stored under `key`.

        Raises:
            KeyError: Nothing is.
            ValueError, TypeError: Its shape, or its type, is not that of `value`.
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
            raise TypeError(f"{path} is {stored.dtype} in the file, which {kind.__name__}, as here, may not hold")
        return kind(stored[()] if stored.shape == () else stored.tolist())

    def ignores(self, path: str) -> bool:
        """Whether `ignore_names` says that the value stays as it is."""
        return any(name(path) if callable(name) else name == path for name in self.ignore_names)


def _check_header(arrays: Mapping[str, Any], path: str, value: Any) -> None:
    """See whether what is stored may be for `value`, before it is read: it may be large. Raises ValueError."""
    header = header_of(arrays, path)
    if header is not None and not is_none(header):
        if is_array(value):
            _check_shape(path, header.shape, value)
        elif problem := excess(header.nbytes, header.packed):
            raise ValueError(f"{path} {problem}")


def _check_shape(path: str, shape: tuple[int, ...], array: Any) -> None:
    if shape != tuple(array.shape):
        raise ValueError(f"{path} has shape {shape} in the file, but {tuple(array.shape)} here")


class HDF5Deserializer(NpzDeserializer):
    """Loads an object from a group of an HDF5 file.

    Args:
        group: An ``h5py.Group``, or an open file; None for one that the file has not.
        strict: Refuse a missing key.
    """

    def __init__(self, group: Any, strict: bool = True) -> None:
        from renga_serializers.hdf5 import HDF5Deserializer as Renga

        super().__init__({} if group is None else Renga(group).npz, strict=strict)
        self.group = group

    def __getitem__(self, key: str) -> HDF5Deserializer:
        """The deserializer of a child: an HDF5Deserializer of its group."""
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
    """Load an npz file of Chainer's, or of Renga's under Chainer's names, into an object, value by value.

    Args:
        file: Path, or an open binary file.
        obj: Object with a ``serialize`` method.
        path: Where in the file the object is: ``"updater/model:main/"`` takes the model out of a trainer's snapshot.
        strict, ignore_names: See `NpzDeserializer`.

    Raises:
        FileRefused: It is damaged, or has a pickle in it that would run code; or it is of another kind of object, a
            trainer, say, and `obj` is a model, or the other way round (where `obj` has nothing in it, a KeyError too).
        KeyError, ValueError, TypeError: A value is missing, or does not fit.
    """
    with open_archive(file, ChainerArchive) as archive:
        prefix = path if not path or path.endswith("/") else path + "/"
        _load(NpzDeserializer(archive, prefix, strict, ignore_names), archive.name, obj)


def load_hdf5(filename: str | os.PathLike[str], obj: Any) -> None:
    """Load an HDF5 file into an object, value by value. Raises as `load_npz`, and `RengaError` without h5py."""
    with open_hdf5(filename) as arrays:
        _load(NpzDeserializer(arrays), os.fspath(filename), obj)


def _load(deserializer: NpzDeserializer, name: str, obj: Any) -> None:
    """Load; where the file is of another kind of object, say so, and where in it this object is."""
    arrays, path = deserializer.npz, deserializer.path
    held = ", ".join(sorted(arrays)[:3])
    of_trainer = isinstance(obj, Trainer)
    if of_trainer and not path and not any(key.startswith(_OF_A_TRAINER) for key in arrays):
        raise FileRefused(
            name,
            f"is not a snapshot of a trainer (it has {held} …), to be loaded into a {type(obj).__name__}. If it is a "
            "model's: load_npz(file, model); a whole run is what extensions.snapshot() saves",
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
            f"{kind}, to be loaded into a {type(obj).__name__}, "
            + (f"which is a part of it{hint}" if places else "of which it has nothing"),
        ) from error


def _read_first(deserializer: NpzDeserializer, obj: Any) -> None:
    """Read what the object will ask for, which an archive keeps, so that damage shows before anything is loaded."""
    archive = deserializer.npz
    if not isinstance(archive, Archive):
        return
    keys = _Keys({})
    with suppress(Exception):  # a program's own `serialize` may be for loading only
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
            # Loading will say so, unless it is damage that makes it look so.
            archive.verify()
        else:
            archive[path]


class _Keys(Serializer):
    """Notes what an object is saved under."""

    def __init__(self, found: dict[str, Any], path: str = "") -> None:
        self.found = found
        self.path = path

    def __getitem__(self, key: str) -> _Keys:
        return _Keys(self.found, f"{self.path}{key.strip('/')}/")

    def __call__(self, key: str, value: Any) -> Any:
        self.found[self.path + key.lstrip("/")] = value
        return value
