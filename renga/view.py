"""How a module of the face looks names up: `view(__name__)` gives it `__getattr__` and `__dir__`.

A name is one of core's that the module lists itself, or a module in it, or what plugins have in it
(`renga.public_module.PublicModule`). It is imported at its first use and then kept in the module, so that a second use
costs what any attribute costs. What stays out is told apart: a name that nobody has is an AttributeError; one whose
plugin is disabled or missing is a `ProviderUnavailable` that says so.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga.public_module import PublicModule

__all__ = ["VIEWS", "View", "view"]


class View:
    """What a module of the face has.

    Args:
        module: Its name, ``renga.training``.
        own: By module of core, the names that are there whatever is installed, with spaces between them.
        modules: The modules in it, with spaces between them.
    """

    def __init__(self, module: str, own: Mapping[str, str], modules: str) -> None:
        self.module = module
        self.own = {name: home for home, names in own.items() for name in names.split()}
        self.modules = tuple(modules.split())

    @cached_property
    def public(self) -> PublicModule:
        """What plugins have in it. Plugins' machinery is imported when a name is asked for, not by ``import renga``."""
        from renga.public_module import PublicModule

        return PublicModule(self.module)

    def get(self, name: str) -> Any:
        """Return what a name stands for, and keep it in the module: the module's `__getattr__`.

        Raises:
            AttributeError: There is no such name; the message has the nearest.
            RengaPluginError: Its plugin is disabled, missing or broken, or several plugins have the name.
        """
        if name == "__all__":
            return self.star()
        if name in self.modules:
            return importlib.import_module(f"{self.module}.{name}")
        if name in self.own:
            value = getattr(importlib.import_module(self.own[name]), name)
        elif name.startswith("_"):
            raise AttributeError(f"module {self.module!r} has no attribute {name!r}")
        else:
            try:
                value = self.public.load(name)
            except KeyError:
                from renga.missing import error

                raise error(self, name) from None
        vars(sys.modules[self.module])[name] = value
        return value

    def star(self) -> list[str]:
        """Return what ``import *`` brings: the module's `__all__`.

        One of a third party's that cannot be imported is left out with a warning, and ends nothing.
        """
        from renga_core.plugin import RengaPluginError, get_manager

        # Not the modules of `renga` itself: ``from renga import *`` would hide Python's `random`.
        names = {*self.own, *(self.modules if "." in self.module else ())}
        for name, entry in self.public.usable().items():
            try:
                if not entry.offer.plugin.shipped:
                    self.get(name)
                names.add(name)
            except RengaPluginError as error:
                get_manager().notice(str(error))
        return sorted(names)

    def dir(self) -> list[str]:
        """Return all names: the module's `__dir__`."""
        return sorted({*vars(sys.modules[self.module]), *self.own, *self.modules, *self.public.usable()})


VIEWS: dict[str, View] = {}
"""The views there are, by module; of modules that have been imported."""


def view(
    module: str, own: Mapping[str, str] | None = None, modules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a module; see `View` for the arguments."""
    made = VIEWS[module] = View(module, own or {}, modules)
    return made.get, made.dir
