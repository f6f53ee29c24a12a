"""Modules of ChainerCV's: which there are, and where Renga has their names.

No table of them is kept. A module has the names of the module of `renga.cv` with the same path, or of the nearest one
that it is in; and those of the module of `renga_cv` with the same path. So what `renga.cv` gains, `chainercv` has.

ChainerCV's folders go deeper than Renga's: it has a module for most functions and classes, such as
``chainercv.utils.bbox.bbox_iou``. So a module that is named as something in the module that it is in is one, too.
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
"""The version of ChainerCV whose names these are."""

_IMPLEMENTATIONS = {
    "chainercv.chainer_experimental.datasets.sliceable": "renga_cv.sliceable",
    "chainercv.chainer_experimental.training.extensions": "renga_cv.extensions",
    "chainercv.experimental.links": "renga_cv.links",
    "chainercv": "renga_cv",
}
"""Where modules are, by the beginnings of paths."""

_GROUPS = ("assertions", "download", "evaluator", "mask_utils", "utils", "vis_report")
"""Modules of ChainerCV's that are named as nothing in them is: folders, and files of several functions."""


def is_module(path: str) -> bool:
    """Whether ChainerCV has a module of this path, as far as the names that Renga has tell."""
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
    """The modules that have the names of a module of ChainerCV's, the first before the others."""
    found = [_implementation(path)] if _exists(_implementation(path)) else []
    while not _exists(_face(path)):
        path = path.rpartition(".")[0]
    return (*found, _face(path))


@cache
def names(path: str) -> frozenset[str]:
    """The names of a module of ChainerCV's, without the modules in it."""
    *implementations, face = faces(path)
    # The face is imported first: it says which names of it are modules.
    found = set(importlib.import_module(face).__all__) - set(VIEWS[face].modules)
    for name in implementations:
        module = importlib.import_module(name)
        found |= {key for key in vars(module).get("__all__", ()) if not isinstance(getattr(module, key), ModuleType)}
    return frozenset(found)


def home(path: str, name: str) -> str:
    """The module of `renga.cv` that has a name of a module of ChainerCV's; that of `renga_cv` if none has it."""
    *implementations, face = faces(path)
    return face if name in importlib.import_module(face).__all__ else implementations[0]


def same(path: str) -> str | None:
    """The module of `renga.cv`, or of `renga_cv`, with the path of a module of ChainerCV's; None if there is none."""
    return next((found for found in (_face(path), _implementation(path)) if _exists(found)), None)


def _plain(name: str) -> str:
    """A name in a spelling that classes and their modules share: ``FasterRCNN``, ``faster_rcnn``."""
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
    except ModuleNotFoundError:  # its package is not there either, or is a module
        return False
