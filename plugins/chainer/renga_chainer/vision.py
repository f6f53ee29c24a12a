"""Maps ChainerCV's modules to Renga's.

There is no table. A module has the names of the module of `renga.cv` with the same path, or of its nearest parent, and
those of the module of `renga_cv` with the same path. So new names in `renga.cv` appear in `chainercv`, too.

ChainerCV has deeper folders than Renga: most functions and classes have their own module, such as
``chainercv.utils.bbox.bbox_iou``. So each name of a module also counts as a submodule.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
from types import ModuleType

from renga.view import VIEWS

__all__ = ["PACKAGE", "VERSION", "faces", "home", "is_module", "names", "same"]

PACKAGE = "chainercv"

VERSION = "0.13.1"
"""The version of ChainerCV that the names come from."""

_IMPLEMENTATIONS = {
    "chainercv.chainer_experimental.datasets.sliceable": "renga_cv.sliceable",
    "chainercv.chainer_experimental.training.extensions": "renga_cv.extensions",
    "chainercv.experimental.links": "renga_cv.links",
    "chainercv": "renga_cv",
}
"""Packages, by prefix of the path."""

_GROUPS = ("assertions", "download", "evaluator", "mask_utils", "utils", "vis_report")
"""ChainerCV's modules that do not define a name equal to their own: folders, and files with several functions."""


def is_module(path: str) -> bool:
    """Whether ChainerCV has a module with this path, judged by Renga's names."""
    if path == PACKAGE:
        return True
    parent, _, last = path.rpartition(".")
    if not parent.startswith(PACKAGE) or last.startswith("_") or not is_module(parent):
        return False
    if _exists(_face(path)) or _exists(_implementation(path)):
        return True
    return last in _GROUPS or (last == last.lower() and _plain(last) in {_plain(name) for name in names(parent)})


@cache
def faces(path: str) -> tuple[str, ...]:
    """Return the modules that have the names of a module of ChainerCV, in order of precedence."""
    found = [_implementation(path)] if _exists(_implementation(path)) else []
    while not _exists(_face(path)):
        path = path.rpartition(".")[0]
    return (*found, _face(path))


@cache
def names(path: str) -> frozenset[str]:
    """Return the names of a module of ChainerCV, without submodules."""
    *implementations, face = faces(path)
    # `renga.cv` is imported first: it tells which of its names are modules.
    found = set(importlib.import_module(face).__all__) - set(VIEWS[face].modules)
    for name in implementations:
        module = importlib.import_module(name)
        found |= {key for key in vars(module).get("__all__", ()) if not isinstance(getattr(module, key), ModuleType)}
    return frozenset(found)


def home(path: str, name: str) -> str:
    """Return the module of `renga.cv` that has a name of ChainerCV's module; else the one of `renga_cv`."""
    *implementations, face = faces(path)
    return face if name in importlib.import_module(face).__all__ else implementations[0]


def same(path: str) -> str | None:
    """Return the module of `renga.cv` or `renga_cv` with the path of ChainerCV's module; None if there is none."""
    return next((found for found in (_face(path), _implementation(path)) if _exists(found)), None)


def _plain(name: str) -> str:
    """Return a name in a form that classes and their modules share: ``FasterRCNN``, ``faster_rcnn``."""
    return name.replace("_", "").lower()


def _face(path: str) -> str:
    return "renga.cv" + path.removeprefix(PACKAGE)


def _implementation(path: str) -> str:
    begin = next(begin for begin in _IMPLEMENTATIONS if (path + ".").startswith(begin + "."))
    return _IMPLEMENTATIONS[begin] + path.removeprefix(begin)


@cache
def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its package is missing, too, or is a module
        return False
