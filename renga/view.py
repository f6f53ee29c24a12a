"""Looks up names in public modules: `view(__name__)` gives a module its `__getattr__` and `__dir__`.

A name belongs to core and is listed by the module, or is a submodule, or comes from plugins
(`renga.public_module.PublicModule`). It is imported at its first use and then kept in the module, so later uses cost
nothing extra. An unknown name raises AttributeError; a name of a disabled or missing plugin raises
`ProviderUnavailable`, which says so.
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
    """The contents of a public module.

    Args:
        module: Name of the module, ``renga.training``.
        own: Names of core by core module, separated by spaces. They are there whatever plugins are installed.
        modules: Names of submodules, separated by spaces.
    """

    def __init__(self, module: str, own: Mapping[str, str], modules: str) -> None:
        self.module = module
        self.own = {name: home for home, names in own.items() for name in names.split()}
        self.modules = tuple(modules.split())

    @cached_property
    def public(self) -> PublicModule:
        """The names from plugins. The plugin system is imported when a name is requested, not by ``import renga``."""
        from renga.public_module import PublicModule

        return PublicModule(self.module)

    def get(self, name: str) -> Any:
        """Return the object with this name, and keep it in the module: the module's `__getattr__`.

        Raises:
            AttributeError: The name does not exist; the message suggests the nearest.
            RengaPluginError: The plugin is disabled, missing or broken, or several plugins have the name.
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
        """Return the names for ``import *``: the module's `__all__`.

        Names of third parties that cannot be imported are left out with a warning.
        """
        from renga_core.plugin import RengaPluginError, get_manager

        # Submodules of `renga` itself are left out: ``from renga import *`` would hide Python's `random`.
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
"""The views of all imported public modules, by module name."""


def view(
    module: str, own: Mapping[str, str] | None = None, modules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a module; `View` describes the arguments."""
    made = VIEWS[module] = View(module, own or {}, modules)
    return made.get, made.dir
