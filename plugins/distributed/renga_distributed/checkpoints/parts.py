"""The files of a generation.

Rank 0's file holds its whole state. The others' hold what differs from that: in data-parallel training little, such as
random states and statistics of batch normalization; in model-parallel training nearly everything. Rank 0's is written
last, and holds a `Manifest` with the checksums of all: where it is, the generation was complete.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from renga_core.serializers import FileDamaged
from renga_core.serializers.archive import open_archive, write_archive
from renga_core.serializers.atomic import atomic_path

__all__ = ["Folder", "Manifest", "Names", "content", "digest"]

Arrays = Mapping[str, np.ndarray[Any, Any]]

_MANIFEST = "checkpoint"
_FIRST = "the first part of a checkpoint"


class Names(NamedTuple):
    """What files are called.

    Attributes:
        first: Rank 0's; a format string with ``{iteration}``.
        others: With ``{iteration}`` and ``{rank}``.
    """

    first: str
    others: str

    def file(self, rank: int, iteration: int) -> str:
        """The name of a rank's file."""
        return (self.others if rank else self.first).format(rank=rank, iteration=iteration)

    def parse(self, name: str) -> tuple[int, int] | None:
        """The rank and the iteration of a file; None if the name is none of these."""
        for form in self:
            if found := re.fullmatch(_pattern(form), name):
                fields = found.groupdict()
                place = int(fields.get("rank", 0)), int(fields["iteration"])
                # There is one way to write a number: 007 is not ours.
                if self.file(*place) == name:
                    return place
        return None


def _pattern(form: str) -> str:
    parsed = string.Formatter().parse(form)
    return "".join(re.escape(text) + (rf"(?P<{field}>\d+)" if field else "") for text, field, _, _ in parsed)


@dataclass(frozen=True)
class Manifest:
    """What rank 0's file says of its generation.

    Attributes:
        ranks: How many wrote it.
        replicated: Whether the model was the same on all.
        parts: SHA-256 of the files of ranks 1, 2, …
        content: Of the arrays in rank 0's file, see `content`.
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
    """SHA-256 of many arrays: of their names and digests."""
    return hashlib.sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


class Folder:
    """Where the files of a run are, as this rank sees it.

    Args:
        path: The folder; it need not be there yet.
        names: Of the files.
    """

    def __init__(self, path: Path, names: Names) -> None:
        self.path = path
        self._names = names

    def file(self, rank: int, iteration: int) -> Path:
        """A rank's file."""
        return self.path / self._names.file(rank, iteration)

    def seen(self) -> dict[int, list[int]]:
        """The iterations of the files that are there, by rank, the latest first."""
        found: dict[int, list[int]] = {}
        for path in self.path.iterdir() if self.path.is_dir() else ():
            if path.is_file() and (place := self._names.parse(path.name)):
                found.setdefault(place[0], []).append(place[1])
        return {rank: sorted(iterations, reverse=True) for rank, iterations in found.items()}

    def remove(self, rank: int, iteration: int) -> None:
        """Remove a rank's file."""
        self.file(rank, iteration).unlink(missing_ok=True)

    # Not compressed: weights hardly get smaller, and training waits.

    def write_part(self, rank: int, iteration: int, arrays: Arrays) -> str:
        """Write the file of a rank other than 0; return its SHA-256."""
        with self._writing(rank, iteration) as temporary:
            with open(temporary, "xb") as file:
                write_archive(file, arrays, compression=False)
            return _file_digest(temporary)

    def write_first(self, iteration: int, arrays: Arrays, manifest: Manifest) -> None:
        """Write rank 0's file."""
        with self._writing(0, iteration) as temporary, open(temporary, "xb") as file:
            write_archive(file, {**arrays, _MANIFEST: np.asarray(json.dumps(asdict(manifest)))}, compression=False)

    def _writing(self, rank: int, iteration: int) -> Any:
        self.path.mkdir(parents=True, exist_ok=True)
        return atomic_path(self.file(rank, iteration))

    def read_part(self, rank: int, iteration: int, sha256: str) -> dict[str, np.ndarray[Any, Any]]:
        """Read the file of a rank other than 0.

        Raises:
            FileDamaged: It is not the one that has this checksum, or none at all.
            OSError: It cannot be opened.
        """
        path = self.file(rank, iteration)
        if _file_digest(path) != sha256:
            raise FileDamaged(str(path), "its SHA-256 is not what rank 0's file says", "the part of this checkpoint")
        with open_archive(path) as archive:
            return dict(archive)

    def read_first(self, iteration: int) -> tuple[dict[str, np.ndarray[Any, Any]], Manifest | None]:
        """Read rank 0's file. The manifest is None if a process that was alone wrote it, as `snapshot` does.

        Raises:
            FileDamaged: It is not what was written.
            OSError: It cannot be opened.
        """
        path = self.file(0, iteration)
        with open_archive(path) as archive:
            arrays = dict(archive)
        if _MANIFEST not in arrays:
            return arrays, None
        try:
            manifest = Manifest(**json.loads(arrays.pop(_MANIFEST).item()))
        except (TypeError, ValueError) as error:
            raise FileDamaged(str(path), f"{_MANIFEST}: {error}", _FIRST) from error
        if content({key: digest(array) for key, array in arrays.items()}) != manifest.content:
            raise FileDamaged(str(path), "its arrays are not those of its SHA-256", _FIRST)
        return arrays, manifest


def _file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
