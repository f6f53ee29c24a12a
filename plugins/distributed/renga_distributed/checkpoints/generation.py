"""The content of a generation's files. `renga_training.snapshots` finds, writes and removes them.

Rank 0's file contains its whole state. The files of the others, the shards, contain only the differences. In
data-parallel training these are small: random states and statistics of batch normalization. In model-parallel training
they are nearly everything. Rank 0's file is written last, and has a `Manifest` with all checksums: if it exists, the
generation is complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.serializers import FileDamaged
from renga_serializers.archive import open_archive, write_archive
from renga_training.snapshots import SnapshotStore

__all__ = ["Manifest", "content", "digest", "read_first", "read_shard", "write_first", "write_shard"]

Arrays = Mapping[str, np.ndarray[Any, Any]]

_MANIFEST = "checkpoint"
_FIRST = "rank 0's file of a checkpoint"


@dataclass(frozen=True)
class Manifest:
    """The description of a generation in rank 0's file.

    Attributes:
        ranks: Number of ranks that wrote it.
        replicated: Whether all ranks had the same model.
        parts: SHA-256 digests of the shards, the files of ranks 1, 2, …
        content: Digest of the arrays in rank 0's file, see `content`.
        lengths: For iterators over parts of a data set, by name: the number of examples in rank 0's part.
    """

    ranks: int
    replicated: bool
    parts: list[str]
    content: str
    lengths: dict[str, int]


def digest(array: np.ndarray[Any, Any]) -> str:
    """SHA-256 of an array: its dtype, shape and values."""
    found = hashlib.sha256(f"{array.dtype.str}{array.shape}".encode())
    if array.nbytes:
        found.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return found.hexdigest()


def content(digests: Mapping[str, str]) -> str:
    """SHA-256 of many arrays, from their names and digests."""
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


# Not compressed, because weights hardly get smaller, and training waits.


def write_shard(store: SnapshotStore, rank: int, iteration: int, arrays: Arrays) -> str:
    """Write the file of a rank other than 0; return its SHA-256 digest."""
    return _file_digest(store.write(store.names.of_iteration(iteration, rank), lambda path: _write(path, arrays)))


def write_first(store: SnapshotStore, iteration: int, arrays: Arrays, manifest: Manifest) -> Path:
    """Write rank 0's file; return its path."""
    told = np.asarray(json.dumps(asdict(manifest)))
    return store.write(store.names.of_iteration(iteration), lambda path: _write(path, {**arrays, _MANIFEST: told}))


def _write(path: Path, arrays: Arrays) -> None:
    with open(path, "xb") as file:
        write_archive(file, arrays, compression=False)


def read_shard(path: Path, sha256: str) -> dict[str, np.ndarray[Any, Any]]:
    """Read the file of a rank other than 0.

    Raises:
        FileDamaged: Its checksum is wrong.
        OSError: The file cannot be opened.
    """
    if _file_digest(path) != sha256:
        raise FileDamaged(str(path), "its SHA-256 is not what rank 0's file says", "the shard of this checkpoint")
    with open_archive(path) as archive:
        return dict(archive)


def read_first(path: Path) -> tuple[dict[str, np.ndarray[Any, Any]], Manifest | None]:
    """Read rank 0's file. The manifest is None if a single process wrote it, as `snapshot` does.

    Raises:
        FileDamaged: The file has been altered.
        OSError: The file cannot be opened.
    """
    with open_archive(path) as archive:
        arrays = dict(archive)
    if _MANIFEST not in arrays:
        return arrays, None
    try:
        manifest = Manifest(**json.loads(arrays.pop(_MANIFEST).item()))
    except (TypeError, ValueError) as error:
        raise FileDamaged(str(path), f"{_MANIFEST}: {error}", _FIRST) from error
    if content({key: digest(array) for key, array in arrays.items()}) != manifest.content:
        raise FileDamaged(str(path), "its arrays do not match its SHA-256", _FIRST)
    return arrays, manifest


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
