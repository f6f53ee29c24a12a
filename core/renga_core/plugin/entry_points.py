"""Finds entry points of group ``renga``, and Renga's own version. Reads metadata, imports nothing.

Folders on ``sys.path`` are read directly, because `importlib.metadata` imports parsers of e-mail and archives and
parses all metadata, which takes as long as importing Renga's core. It is used only for other entries of the path.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from .hookimpl import PROJECT

__all__ = ["EntryPoint", "installed_entry_points", "normalized", "renga_version"]


class EntryPoint(NamedTuple):
    """A line under ``[project.entry-points.renga]`` of a distribution, or a plugin that the program adds itself.

    Attributes:
        name: The name left of the equals sign.
        value: The target right of the equals sign.
        load: Imports and returns the target.
        distribution: The distribution that contains the line.
        version: The distribution's version.
        requires: Its ``Requires-Dist`` lines.
    """

    name: str
    value: str
    load: Callable[[], object]
    distribution: str = "this program"
    version: str = ""
    requires: tuple[str, ...] = ()


def normalized(distribution: str) -> str:
    """Normalize a distribution's name as package indexes do: ``Acme_Cupy`` becomes ``acme-cupy``."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of group ``renga`` of all distributions on ``sys.path``.

    If several distributions have the same name, the first counts, as in `import`. A distribution of Renga's plugins
    with unreadable metadata yields an entry point that cannot be loaded; the others are still found.
    """
    return list(_entry_points(_distributions()))


def renga_version() -> str | None:
    """Return the version of the installed distribution ``renga``; None when Renga runs from a bare folder."""
    return next((str(found.version) for found in _distributions() if _name(found) == PROJECT), None)


def _distributions() -> Iterable[Any]:
    """Yield the distributions on the path, with the interface of `_Folder`."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    known = ("PathFinder", "MetadataPathFinder")  # Python's finder, and the one of `importlib_metadata`
    if all(getattr(finder, "__name__", type(finder).__name__) in known for finder in finders):
        folders = [path or "." for path in sys.path]
        if not any(os.path.isfile(path) or path.endswith(".egg") for path in folders):
            return _in_folders(folders)
    try:
        import importlib_metadata
    except ModuleNotFoundError:  # not installed; Python's own module works as well
        import importlib.metadata as importlib_metadata  # type: ignore[no-redef]  # two modules of one interface
    return importlib_metadata.distributions()


def _in_folders(folders: Iterable[str]) -> Iterator[_Folder]:
    seen = set()
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            stem, dot, kind = name.rpartition(".")
            distribution = normalized(stem.partition("-")[0])
            if dot and kind in ("dist-info", "egg-info") and distribution not in seen:
                seen.add(distribution)
                yield _Folder(os.path.join(folder, name))


class _Point(NamedTuple):
    group: str
    name: str
    value: str

    def load(self) -> object:
        module, _, attributes = self.value.partition("[")[0].partition(":")
        found: object = import_module(module.strip())
        for attribute in filter(None, attributes.strip().split(".")):
            found = getattr(found, attribute)
        return found


class _Folder:
    """The metadata of an installed distribution, in a folder ``*.dist-info`` or ``*.egg-info``."""

    def __init__(self, path: str) -> None:
        self._path = path

    def read_text(self, name: str) -> str | None:
        """Return the text of a file; None if it does not exist."""
        try:
            with open(os.path.join(self._path, name), encoding="utf-8") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    @cached_property
    def _headers(self) -> list[tuple[str, str]]:
        text = self.read_text("METADATA") or self.read_text("PKG-INFO") or ""
        lines = text.partition("\n\n")[0].splitlines()  # a description follows
        return [(key, value.strip()) for key, _, value in (line.partition(":") for line in lines)]

    @property
    def name(self) -> str:
        """The name as written by its author."""
        return dict(self._headers)["Name"]

    @property
    def version(self) -> str:
        """The version of the distribution."""
        return dict(self._headers)["Version"]

    @property
    def requires(self) -> list[str]:
        """The ``Requires-Dist`` lines."""
        return [value for key, value in self._headers if key == "Requires-Dist"]

    @property
    def entry_points(self) -> Iterator[_Point]:
        """The lines of ``entry_points.txt``. Raises ValueError if a line is malformed."""
        group = ""
        for line in map(str.strip, (self.read_text("entry_points.txt") or "").splitlines()):
            if line.startswith("[") and line.endswith("]"):
                group = line[1:-1].strip()
            elif line and not line.startswith("#"):
                name, equals, value = (part.strip() for part in line.partition("="))
                if not (name and equals and value):
                    raise ValueError(f"{self._path}: {line!r} is not an entry point")
                yield _Point(group, name, value)


def _entry_points(distributions: Iterable[Any]) -> Iterator[EntryPoint]:
    seen = set()
    for distribution in distributions:
        name = None
        try:
            if f"[{PROJECT}]" not in (distribution.read_text("entry_points.txt") or ""):
                continue
            name = _name(distribution)
            if name in seen:
                continue
            seen.add(name)
            about = distribution.name, distribution.version, tuple(distribution.requires or ())
            points = [point for point in distribution.entry_points if point.group == PROJECT]
            yield from [EntryPoint(point.name, point.value, point.load, *about) for point in points]
        except Exception as error:
            if name is not None:
                yield EntryPoint(name, "its metadata", _raiser(error), name)


def _name(distribution: Any) -> str:
    try:
        return normalized(distribution.name)
    except Exception:  # the unreadable file is the one that contains the name
        return "unreadable"


def _raiser(error: Exception) -> Callable[[], object]:
    def load() -> object:
        raise error

    return load
