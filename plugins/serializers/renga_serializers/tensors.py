"""The safetensors format, which other frameworks read and write. Needs ``renga[safetensors]``.

Each array and number is a tensor, named by its path (``l1/W``). None and texts are in the file's metadata, as JSON
under the name ``renga``; a digest of the whole file is under ``renga_sha256``.
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
_MISSING = b"0" * 64  # placeholder for the digest while it is computed
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
        TypeError: The object contains a value that the format has no type for.
        OSError: The file cannot be written; an existing file is unchanged.
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
        mode = temporary.stat().st_mode  # permissions from the umask; the library restricts its files to their owner
        save_file(tensors, temporary, metadata)
        temporary.chmod(mode)
        with open(temporary, "r+b") as file:
            head = _read_head(file)
            digest = content_digest(file, head)
            file.seek(head.index(_entry(_MISSING)))
            file.write(_entry(digest))


def _entry(digest: bytes) -> bytes:
    """The entry of the digest, as it appears in the header."""
    return b'"%s":"%s"' % (_DIGEST.encode(), digest)


def _read_head(file: IO[bytes]) -> bytes:
    """The header, with its length before it."""
    length = file.read(8)
    return length + file.read(min(int.from_bytes(length, "little"), _LONGEST_HEADER))


def _check(filename: str | os.PathLike[str]) -> None:
    """Compare the digest, if there is one, because the format has no checksums.

    Raises:
        FileDamaged: The digests differ.
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
    """Load a safetensors file into an object. If anything is wrong with the file, the object is unchanged.

    Args:
        filename: Path. If the file does not exist, ``.safetensors`` is appended to the name.
        obj: Object with a ``serialize`` method.
        path, strict, ignore_names: See `load_npz`.

    Raises:
        RengaError: safetensors is not installed.
        FileDamaged: The file is not a safetensors file, is truncated, or was altered after `save_safetensors` wrote it.
        FileMismatched: The file lacks keys, or shapes, dtypes or types differ; the message lists all differences.
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
    """The format, for choosing by suffix: `renga_core.serializers.FileFormat`."""

    save = staticmethod(save_safetensors)
    load = staticmethod(load_safetensors)


class _Arrays(Mapping[str, np.ndarray[Any, Any]]):
    """The tensors by name, and the values in the metadata. Each is read when it is requested."""

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
        except Exception as error:  # types that NumPy lacks raise many types of errors
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
