"""Chainer's modules, with names from Renga."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any

from renga_chainer import scope, vision
from renga_core.errors import did_you_mean
from renga_core.graph import FunctionNode

__all__ = ["VERSION", "Mirror", "is_module", "is_package", "names"]

VERSION = "7.8.1"
"""The version of Chainer that the names come from."""

FACES = {
    "chainer": ("renga",),
    "chainer.backend": ("renga.backend", "renga"),
    "chainer.computational_graph": ("renga.computational_graph",),
    "chainer.dataset": ("renga.dataset", "renga"),
    "chainer.dataset.tabular": ("renga.dataset.tabular", "renga.dataset"),
    "chainer.datasets": ("renga.datasets",),
    "chainer.distributions": ("renga.distributions", "renga"),
    "chainer.function_hooks": ("renga.function_hooks",),
    "chainer.functions": ("renga.functions",),
    "chainer.gradient_check": ("renga.gradient_check", "renga.testing"),
    "chainer.initializers": ("renga.initializers", "renga"),
    "chainer.iterators": ("renga.iterators",),
    "chainer.link_hooks": ("renga.link_hooks",),
    "chainer.links": ("renga.links",),
    "chainer.links.connection.deformable_convolution_2d": (
        "renga.links",
        "renga_nn.links.deformable_convolution_2d",
    ),
    "chainer.links.model.vision.googlenet": ("renga.links", "renga_nn.links.vision.googlenet"),
    "chainer.links.model.vision.resnet": ("renga.links", "renga_nn.links.vision.resnet"),
    "chainer.links.model.vision.vgg": ("renga.links", "renga_nn.links.vision.vgg"),
    "chainer.optimizer_hooks": ("renga.optimizer_hooks",),
    "chainer.optimizers": ("renga.optimizers", "renga"),
    "chainer.serializers": ("renga.serializers",),
    "chainer.testing": ("renga.testing",),
    "chainer.training": ("renga.training",),
    "chainer.training.extensions": ("renga.training.extensions", "renga.training"),
    "chainer.training.triggers": ("renga.training.triggers", "renga.training"),
    "chainer.training.updaters": ("renga.training.updaters", "renga.training"),
    "chainer.utils": ("renga.utils",),
    "chainermn": ("renga.distributed", "renga_core.communicator"),
    "chainermn.functions": ("renga.distributed.functions",),
    "chainermn.links": ("renga.distributed.links",),
    "onnx_chainer": ("renga_onnx",),
    "onnx_chainer.context": ("renga_onnx.context",),
    "onnx_chainer.functions": ("renga_onnx.functions",),
    "onnx_chainer.onnx_helper": ("renga_onnx.onnx_helper",),
    "onnx_chainer.replace_func": ("renga_onnx.replace_func",),
    "onnx_chainer.testing": ("renga_onnx.testing",),
    "onnx_chainer.testing.input_generator": ("renga_onnx.testing.input_generator",),
}
"""Maps modules of Chainer to the modules of Renga that have their names."""

_OWN = "renga_chainer.modules."


@cache
def absent() -> dict[str, str]:
    """Names of Chainer that Renga lacks, with their modules, and the reasons."""
    found = {}
    for group in json.loads((files("renga_chainer") / "absent.json").read_text()):
        for module, members in group["names"].items():
            found.update({f"{module}.{name}": group["why"] for name in members})
    return found


def why_absent(path: str) -> str:
    """Return why Renga lacks a name, and where to read more."""
    why = absent().get(path) or absent().get(f"{path.partition('.')[0]}.*") or "it is not implemented yet"
    return f"{why} (docs/how-to/move-from-chainer.md)"


@cache
def names() -> dict[str, list[str]]:
    """Return the public names of each public module of Chainer 7.8.1 with ChainerMN, and of ONNX-Chainer 1.6."""
    table: dict[str, list[str]] = json.loads((files("renga_chainer") / "names.json").read_text())
    return table


def is_module(path: str) -> bool:
    """Whether Chainer has a module of this name, or Renga provides one."""
    return path in names() or _own_spec(path) is not None or (_of_vision(path) and vision.is_module(path))


def is_package(path: str) -> bool:
    """Whether it is a package, with submodules."""
    own = _own_spec(path)
    return (
        _of_vision(path)
        or any(name.startswith(path + ".") for name in names())
        or (own is not None and own.submodule_search_locations is not None)
    )


class Mirror(ModuleType):
    """A module of Chainer, which looks up its names at their first use.

    It searches `renga_chainer.modules` under the same path, or the path of a parent package; then the modules of Renga
    in `FACES`; then its submodules. Modules of functions also search the function classes.
    """

    def __init__(self, path: str) -> None:
        super().__init__(path, f"{path}, provided by Renga.")
        own = _own_spec(path)
        self._own = None if own is None else importlib.import_module(_OWN + path)
        own_names = [] if self._own is None else list(getattr(self._own, "__all__", ()))
        of_vision = _of_vision(path)
        self._names = sorted({*(vision.names(path) if of_vision else names().get(path, ())), *own_names})
        self._faces = vision.faces(path) if of_vision else _faces(path)
        self.__version__ = vision.VERSION if of_vision else VERSION  # the version that programs expect

    @property
    def __all__(self) -> list[str]:
        return [name for name in self._names if self._find(name) is not _MISSING]

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if not name.startswith("_"):
            scope.mark(sys._getframe(1).f_globals)  # code that reads a name from here uses Chainer
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = self._find(name)
        path = f"{self.__name__}.{name}"
        if found is not _MISSING:
            setattr(self, name, found)
        elif is_module(path):
            found = importlib.import_module(path)
        elif name in self._names or f"{self.__name__}.*" in absent():
            raise AttributeError(f"Renga lacks {path} of Chainer: {why_absent(path)}")
        else:
            hint = did_you_mean(name, dir(self))
            if self.__name__ == "chainer.functions" and name in names()["chainer.links"]:
                hint = f" Since Chainer 2, it is a link: chainer.links.{name}"  # F.Linear would suggest F.linear
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}.{hint}".removesuffix("."))
        scope.mark(sys._getframe(1).f_globals)
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        # After an import of the module chainer.utils.experimental, chainer.utils still has the function of that name.
        if isinstance(value, Mirror) and name in self._names:
            found = self._find(name)
            value = value if found is _MISSING else found
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self._names})

    def _find(self, name: str) -> Any:
        own = getattr(self._own, name, _MISSING)
        if isinstance(own, ModuleType) and own.__name__.startswith(_OWN):
            own = _MISSING  # a submodule, which is also a mirror
        if own is not _MISSING or name not in self._names:
            return own
        path = self.__name__
        while path := path.rpartition(".")[0]:
            # chainer.training.extensions.evaluator has the names of chainer.training.extensions.
            above = _own_spec(path) and importlib.import_module(_OWN + path)
            if name in getattr(above, "__all__", ()):
                return getattr(above, name)
        for face in self._faces:
            found = getattr(importlib.import_module(face), name, _MISSING)
            # In `renga_cv`, a module may have the name of the function that it defines.
            if found is not _MISSING and not (isinstance(found, ModuleType) and _of_vision(self.__name__)):
                return found
        if self.__name__.startswith("chainer.functions."):
            return _function_classes().get(name, _MISSING)
        return _MISSING


_MISSING = object()


def _function_classes() -> dict[str, type]:
    """Return Renga's function nodes, by name."""
    functions = importlib.import_module("renga.functions")
    for name in functions.__all__:
        getattr(functions, name)  # this imports the class as well
    found: dict[str, type] = {}
    rest = [FunctionNode]
    while rest:
        for cls in rest.pop().__subclasses__():
            rest.append(cls)
            if cls.__module__.startswith(("renga_nn.functions.", "renga_core.graph.operators.")):
                found[cls.__name__] = cls
    return found


def _of_vision(path: str) -> bool:
    return path.partition(".")[0] == vision.PACKAGE


def _own_spec(path: str) -> Any:
    try:
        return importlib.util.find_spec(_OWN + path)
    except ModuleNotFoundError:  # its package is missing, too
        return None


def _faces(path: str) -> tuple[str, ...]:
    while path and path not in FACES:
        path = path.rpartition(".")[0]
    return FACES.get(path, ())
