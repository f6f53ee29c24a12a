"""Choosing the file format (kind ``file_format``) by the file's suffix. Without a suffix it is npz."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Protocol

from renga_core.plugin import AmbiguousProvider, State, registry
from renga_core.serializers.protocol import Serializable

__all__ = ["FileFormat", "Names", "format_of", "load", "save"]

Names = str | Callable[[str], bool]
"""Values of a file to skip: a path, or a function that decides for a path."""


_NPZ = "serializers:npz"  # the full name gives a better error if its plugin is disabled


class FileFormat(Protocol):
    """Saves objects to files of one format, and loads them. Providers of kind ``file_format`` make it.

    The provider's description (`renga_core.plugin.Provider`) lists its `suffixes`.
    """

    def save(self, filename: str | os.PathLike[str], obj: Serializable) -> object:
        """Save an object to a file. After an error, the old file is unchanged (`atomic_path`).

        Raises:
            TypeError: The object contains a value that cannot be stored.
            OSError: The file cannot be written; an existing file is unchanged.
        """

    def load(
        self,
        filename: str | os.PathLike[str],
        obj: Serializable,
        path: str = "",
        strict: bool = True,
        ignore_names: Names | Iterable[Names] | None = None,
    ) -> object:
        """Load a file into an object. If anything is wrong with the file, the object is unchanged (`load_arrays`).

        Args:
            filename: Path.
            obj: Object with a ``serialize`` method.
            path: Path of the object in the file: ``"updater/model:main"`` selects the model in a trainer's snapshot.
            strict: Refuse the file if a key is missing or a dtype differs. Otherwise such a value is unchanged, or is
                converted within its kind (float64 to float32, for example).
            ignore_names: Paths (including `path`) whose values stay unchanged: a path, a function that decides for a
                path, or a list of both.

        Raises:
            FileDamaged: The file does not have this format, is truncated or altered.
            FileMismatched: The file lacks keys, or shapes, dtypes or types differ; the message lists all differences.
            OSError: The file cannot be opened.
        """


def format_of(filename: str | os.PathLike[str]) -> FileFormat:
    """The format of a file name's suffix; npz if there is no suffix, or no format for it.

    If several plugins have a format for the suffix, Renga's own is taken.

    Raises:
        AmbiguousProvider: Several third parties offer a format for it.
        RengaPluginError: The format cannot be used here, for example because a library is not installed.
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
            f"{os.fspath(filename)}: the suffix {suffix} belongs to {len(names)} formats:{told}\n"
            f"Next: disable all but one of them: RENGA_PLUGINS_DISABLE={offers[0].full_name}"
        )
    return formats.load(names[0], origin=f"suffix of {os.fspath(filename)}")() if names else _npz(filename)


def _npz(filename: str | os.PathLike[str]) -> FileFormat:
    npz: FileFormat = registry("file_format").load(_NPZ, origin=f"suffix of {os.fspath(filename)}")()
    return npz


def save(filename: str | os.PathLike[str], obj: Serializable) -> None:
    """Save an object to a file. The suffix selects the format; without a suffix it is npz.

    Args:
        filename: Path, written atomically.
        obj: Object with a ``serialize`` method.

    Raises:
        RengaPluginError: The format cannot be used; see `format_of`.
        TypeError, OSError: See `FileFormat.save`.
    """
    format_of(filename).save(filename, obj)


def load(
    filename: str | os.PathLike[str],
    obj: Serializable,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load a file into an object, all or nothing. The suffix selects the format; without a suffix it is npz.

    Args:
        filename: Path.
        obj: Object with a ``serialize`` method.
        path, strict, ignore_names: See `FileFormat.load`.

    Raises:
        RengaPluginError: The format cannot be used; see `format_of`.
        FileDamaged, FileMismatched, OSError: See `FileFormat.load`.
    """
    format_of(filename).load(filename, obj, path, strict, ignore_names)
