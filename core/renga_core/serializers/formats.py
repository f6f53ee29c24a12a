"""Which of the formats that plugins offer (kind ``file_format``) a file has: its suffix says. Without one it is npz."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Protocol

from renga_core.plugin import AmbiguousProvider, State, registry
from renga_core.serializers.protocol import Serializable

__all__ = ["FileFormat", "Names", "format_of", "load", "save"]

Names = str | Callable[[str], bool]
"""Which values of a file are left out: a path, or a function that says it of a path."""


_NPZ = "serializers:npz"  # by its full name: where its plugin is disabled, the error says so, and what to do


class FileFormat(Protocol):
    """Saves objects to files of one format, and loads them: what a provider of kind ``file_format`` makes.

    Its description (`renga_core.plugin.Provider`) says which `suffixes` are its.
    """

    def save(self, filename: str | os.PathLike[str], obj: Serializable) -> object:
        """Save an object to a file, which is written whole or not at all (`atomic_path`).

        Raises:
            TypeError: The object has a value that cannot be stored.
            OSError: The file cannot be written; an old one of that name is as it was.
        """

    def load(
        self,
        filename: str | os.PathLike[str],
        obj: Serializable,
        path: str = "",
        strict: bool = True,
        ignore_names: Names | Iterable[Names] | None = None,
    ) -> object:
        """Load a file into an object: all of it, or, if anything is wrong with the file, nothing (`load_arrays`).

        Args:
            filename: Path.
            obj: Object with a ``serialize`` method.
            path: Where in the file the object is: ``"updater/model:main"`` takes the model out of a trainer's snapshot.
            strict: Refuse the file if a key is missing or an array's dtype differs. Otherwise such a value stays as it
                is, or is converted within its kind (float64 to float32, say).
            ignore_names: Paths (including `path`) whose values stay as they are: a path, a function that says it of a
                path, or a list of both.

        Raises:
            FileDamaged: It is not of this format, is truncated or altered.
            FileMismatched: It lacks keys, or shapes, dtypes or types differ; all differences are listed.
            OSError: The file cannot be opened.
        """


def format_of(filename: str | os.PathLike[str]) -> FileFormat:
    """The format that the suffix of a name stands for; npz where there is no suffix, or nobody has a format for it.

    Of several plugins with a format for one suffix, what Renga ships is meant.

    Raises:
        AmbiguousProvider: Third parties offer several formats for it.
        RengaPluginError: The format cannot be used here: a library that it needs is not installed, say.
    """
    suffix = PurePath(filename).suffix.lower()
    if suffix in ("", ".npz"):
        return _npz(filename)
    formats = registry("file_format")
    offers = [offer for offer, status in formats.list() if status.state is not State.DISABLED]
    offers = [offer for offer in offers if suffix in offer.provider.suffixes]
    offers = [offer for offer in offers if offer.plugin.shipped] or offers
    names = sorted({offer.name for offer in offers})
    if len(names) > 1:
        told = "".join(f"\n  - {offer.full_name}   ({offer.plugin.origin})" for offer in offers)
        raise AmbiguousProvider(
            f"{os.fspath(filename)}: the suffix {suffix} is that of {len(names)} formats:{told}\n"
            f"Next: disable all but one of them: RENGA_PLUGINS_DISABLE={offers[0].full_name}"
        )
    return formats.load(names[0], origin=f"suffix of {os.fspath(filename)}")() if names else _npz(filename)


def _npz(filename: str | os.PathLike[str]) -> FileFormat:
    npz: FileFormat = registry("file_format").load(_NPZ, origin=f"suffix of {os.fspath(filename)}")()
    return npz


def save(filename: str | os.PathLike[str], obj: Serializable) -> None:
    """Save an object to a file. The suffix selects the format; without one it is npz.

    Args:
        filename: Path, written atomically.
        obj: Object with a ``serialize`` method.

    Raises:
        RengaPluginError: The format cannot be used; see `format_of`.
        TypeError, OSError: As `FileFormat.save`.
    """
    format_of(filename).save(filename, obj)


def load(
    filename: str | os.PathLike[str],
    obj: Serializable,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load a file into an object, all or nothing. The suffix selects the format; without one it is npz.

    Args:
        filename: Path.
        obj: Object with a ``serialize`` method.
        path, strict, ignore_names: As of `FileFormat.load`.

    Raises:
        RengaPluginError: The format cannot be used; see `format_of`.
        FileDamaged, FileMismatched, OSError: As `FileFormat.load`.
    """
    format_of(filename).load(filename, obj, path, strict, ignore_names)
