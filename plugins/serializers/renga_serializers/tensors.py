"""Objects in the safetensors format, which other frameworks read and write. Takes ``renga[safetensors]``.

A tensor for each array and number, by path (``l1/W``). What is no tensor, None and texts, is in the file's metadata, as
JSON under the name ``renga``; so is a digest of the whole file, under ``renga_sha256``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np

from renga_core.serializers.errors import FileDamaged
from renga_core.serializers.formats import Names
from renga_core.serializers.protocol import Serializable
from renga_serializers.atomic import atomic_path
from renga_serializers.digest import ALTERED, content_digest
from renga_serializers.npz import DictionarySerializer, load_arrays
from renga_serializers.optional import require
from renga_serializers.paths import find_file
from renga_serializers.values import encode, is_none

__all__ = ["SafetensorsFormat", "load_safetensors", "save_safetensors"]

_KIND = "a safetensors file"
_METADATA = "renga"
_DIGEST = "renga_sha256"
_MISSING = b"0" * 64  # stands in the place of the digest while it is computed
_ENTRY = re.compile(rb'"renga_sha256":"([0-9a-f]{64})"')
_TRACE = re.compile(rb'renga_|sha256":"')
_LONGEST_HEADER = 100_000_000  # the format's own limit
_DTYPES = {np.dtype(name) for name in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8")}


def save_safetensors(filename: str | os.PathLike[str], obj: Serializable) -> None:
    """Save an object to a safetensors file. Arrays on a device are copied to the host.

    Args:
        filename: Path, written atomically.
        obj: Object with a ``serialize`` method.

    Raises:
        RengaError: safetensors is not installed.
        TypeError: The object has a value that the format has no type for.
        OSError: The file cannot be written; an old one of that name is as it was.
    """
    require("safetensors", "save_safetensors", "safetensors")
    from safetensors.numpy import save_file

    serializer = DictionarySerializer()
    serializer.save(obj)
    tensors: dict[str, np.ndarray[Any, Any]] = {}
    others: dict[str, Any] = {}
    for path, stored in serializer.target.items():
        if is_none(stored) or stored.dtype.kind == "U":
            others[path] = None if is_none(stored) else stored.tolist()
            continue
        native = stored.dtype.newbyteorder("=")
        if native not in _DTYPES:
            raise TypeError(f"cannot save {path!r}: safetensors has no type for dtype {stored.dtype}")
        tensors[path] = np.asarray(stored, native, order="C")
    import json

    metadata = {_DIGEST: _MISSING.decode()} | ({_METADATA: json.dumps(others)} if others else {})
    with atomic_path(filename) as temporary:
        temporary.touch()
        mode = temporary.stat().st_mode  # as the umask has it; the library's own files are for their owner alone
        save_file(tensors, temporary, metadata)
        temporary.chmod(mode)
        with open(temporary, "r+b") as file:
            head = _read_head(file)
            digest = content_digest(file, head)
            file.seek(head.index(_entry(_MISSING)))
            file.write(_entry(digest))


def _entry(digest: bytes) -> bytes:
    """As it stands in the header."""
    return b'"%s":"%s"' % (_DIGEST.encode(), digest)


def _read_head(file: IO[bytes]) -> bytes:
    """The header, and its length before it."""
    length = file.read(8)
    return length + file.read(min(int.from_bytes(length, "little"), _LONGEST_HEADER))


def _check(filename: str | os.PathLike[str]) -> None:
    """Compare the digest, if there is one: the format has no checksums.

    Raises:
        FileDamaged: It is another one.
        OSError: The file cannot be read.
    """
    with open(filename, "rb") as file:
        head = _read_head(file)
        found = _ENTRY.search(head)
        sound = not _TRACE.search(head)
        if found is not None:
            sound = found[1] == content_digest(file, head.replace(found[0], _entry(_MISSING)))
    if not sound:
        raise FileDamaged(os.fspath(filename), ALTERED, _KIND)


def load_safetensors(
    filename: str | os.PathLike[str],
    obj: Serializable,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load a safetensors file into an object: all of it, or, if anything is wrong with the file, nothing.

    Args:
        filename: Path. Where there is no such file, ``.safetensors`` is put behind the name.
        obj: Object with a ``serialize`` method.
        path, strict, ignore_names: See `load_npz`.

    Raises:
        RengaError: safetensors is not installed.
        FileDamaged: It is not a safetensors file, is truncated, or has been altered since `save_safetensors` wrote it.
        FileMismatched: It lacks keys, or shapes, dtypes or types differ; all differences are listed.
        OSError: The file cannot be opened.
    """
    require("safetensors", "load_safetensors", "safetensors")
    from safetensors import SafetensorError, safe_open

    name = find_file(filename, ".safetensors")
    _check(name)
    try:
        file = safe_open(name, framework="np")
    except (SafetensorError, OSError, ValueError) as error:
        raise FileDamaged(name, str(error), _KIND) from error
    with file:
        load_arrays(_Arrays(file, name), name, obj, path, strict, ignore_names)


class SafetensorsFormat:
    """The format, for what chooses one by a file's suffix: `renga_core.serializers.FileFormat`."""

    save = staticmethod(save_safetensors)
    load = staticmethod(load_safetensors)


class _Arrays(Mapping[str, np.ndarray[Any, Any]]):
    """The tensors by name, and what is in the metadata. Each is read when it is asked for."""

    def __init__(self, file: Any, name: str) -> None:
        self._file = file
        self._name = name
        self._tensors = set(file.keys())
        self._others = self._read_metadata((file.metadata() or {}).get(_METADATA, "{}"))

    def __getitem__(self, key: str) -> np.ndarray[Any, Any]:
        if key in self._others:
            return self._others[key]
        if key not in self._tensors:
            raise KeyError(key)
        try:
            array: np.ndarray[Any, Any] = self._file.get_tensor(key)
        except Exception as error:  # what a type that NumPy lacks makes it raise has no common type
            raise FileDamaged(self._name, f"reading {key!r}: {type(error).__name__}: {error}", _KIND) from error
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._tensors | set(self._others)))

    def __len__(self) -> int:
        return len(self._tensors | set(self._others))

    def _read_metadata(self, text: str) -> dict[str, np.ndarray[Any, Any]]:
        import json

        try:
            arrays = {key: encode(value) for key, value in json.loads(text).items()}
            strange = [key for key, array in arrays.items() if not is_none(array) and array.dtype.kind != "U"]
            if strange:
                raise ValueError(f"{strange[0]!r} is neither None nor a text")
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            raise FileDamaged(self._name, f"its metadata {_METADATA!r}: {error}", _KIND) from error
        return arrays
