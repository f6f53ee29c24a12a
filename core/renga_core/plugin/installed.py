"""What is installed: the entry points of group ``renga``, and Renga's own version. Reads metadata, imports nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .hookimpl import PROJECT

__all__ = ["EntryPoint", "installed_entry_points", "normalized", "renga_version"]


@dataclass(frozen=True)
class EntryPoint:
    """A line under ``[project.entry-points.renga]`` of a distribution, or a plugin that the program itself brings.

    Attributes:
        name: Left of the equals sign.
        value: Right of it.
        load: Imports and returns what the value names.
        distribution: Whose line.
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
    """Return the name by which package indexes compare distributions: ``Acme_Cupy`` is ``acme-cupy``."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of group ``renga`` of all distributions on ``sys.path``.

    Of several distributions of one name the first counts, as for `import`. One whose metadata cannot be read gives an
    entry point that cannot be loaded, if it has to do with Renga; it does not hide the others.
    """
    metadata = _metadata()
    about = cache(_about)  # of distributions: each question parses the whole metadata, and Renga has many entry points
    try:
        return [_read(point, about(point.dist)) for point in metadata.entry_points(group=PROJECT)]
    except Exception:  # raised by one distribution's files: look which
        return list(_one_by_one(metadata.distributions()))


def _about(distribution: Any) -> tuple[str, str, tuple[str, ...]]:
    """Name, version and requirements of a distribution."""
    return distribution.name, distribution.version, tuple(distribution.requires or ())


def _read(point: Any, about: tuple[str, str, tuple[str, ...]]) -> EntryPoint:
    return EntryPoint(point.name, point.value, point.load, *about)


def _one_by_one(distributions: Iterable[Any]) -> Iterator[EntryPoint]:
    seen = set()
    for distribution in distributions:
        text = distribution.read_text("entry_points.txt") or ""
        if f"[{PROJECT}]" not in text:
            continue
        name = _name(distribution)
        if name in seen:
            continue
        seen.add(name)
        try:
            points = [point for point in distribution.entry_points if point.group == PROJECT]
            yield from [_read(point, _about(distribution)) for point in points]
        except Exception as error:
            yield EntryPoint(name, "its metadata", _raiser(error), name)


def renga_version() -> str | None:
    """Return the version of the installed distribution ``renga``; None when Renga runs from a bare folder."""
    metadata = _metadata()
    try:
        version: str = metadata.version("renga")
    except metadata.PackageNotFoundError:
        return None
    return version


def _metadata() -> Any:
    # Reading e-mail headers takes 15 ms that `import renga` need not pay, so the import is here.
    try:
        import importlib_metadata
    except ModuleNotFoundError:  # installed without its dependencies; Python's own does
        import importlib.metadata as importlib_metadata  # type: ignore[no-redef]  # two modules of one interface
    return importlib_metadata


def _name(distribution: Any) -> str:
    try:
        return normalized(distribution.name)
    except Exception:  # the file that says the name is the one that cannot be read
        return "unreadable"


def _raiser(error: Exception) -> Callable[[], object]:
    def load() -> object:
        raise error

    return load
