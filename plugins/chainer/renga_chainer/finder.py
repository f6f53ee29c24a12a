"""The import hook that makes ``import chainer`` find Renga."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from renga_chainer import configuration, devices, patches, random, removed_names, scope
from renga_chainer.mirror import Mirror, is_module, is_package

__all__ = ["PACKAGES", "install", "installed", "uninstall"]

PACKAGES = ("chainer", "chainermn", "chainercv", "chainerx", "onnx_chainer")


class _Finder(importlib.machinery.PathFinder):
    """Finds `PACKAGES` and their submodules; leaves all other modules to the next finders."""

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package = fullname.partition(".")[0]
        if package not in PACKAGES or not is_module(fullname):
            return None
        return ModuleSpec(fullname, _Loader(), origin="renga_chainer", is_package=is_package(fullname))


class _Loader(importlib.abc.Loader):
    """Create a `Mirror`."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Mirror(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a mirror looks names up at their first use."""


def install(*, replace: bool = False, everywhere: bool = False) -> None:
    """Let ``import chainer`` and imports of the other `PACKAGES` find Renga, until `uninstall`. A second call does
    nothing.

    Code that uses Chainer, and all code that it calls, then gets Chainer's behaviour; other code gets Renga's: see
    `scope`.

    Args:
        replace: Hide a real Chainer, if one is installed.
        everywhere: Give all code of the process Chainer's behaviour, as in a program of `renga run-chainer`.

    Raises:
        RuntimeError: A package has been imported already; or it is installed and `replace` is False. Then nothing
            changes.
    """
    if installed():
        return
    loaded = [name for name in PACKAGES if name in sys.modules]
    if loaded:
        raise RuntimeError(f"{loaded[0]} has been imported already: call renga_chainer.install() before the import")
    real = [name for name in PACKAGES if importlib.util.find_spec(name) is not None]
    if real and not replace:
        raise RuntimeError(
            f"{', '.join(real)} is installed, and Renga would hide it. To allow that, call install(replace=True), "
            "or use --replace on the command line"
        )
    configuration.install()
    scope.set_everywhere(everywhere)
    patches.install(everywhere=everywhere)
    devices.install()
    random.install()
    removed_names.install()
    sys.meta_path.insert(0, _Finder)


def uninstall() -> None:
    """Undo `install`. Objects that were imported meanwhile still work, but a new import no longer finds them."""
    if not installed():
        return
    sys.meta_path.remove(_Finder)
    for name in [name for name in sys.modules if name.partition(".")[0] in PACKAGES]:
        del sys.modules[name]
    removed_names.uninstall()
    configuration.uninstall()
    random.uninstall()
    devices.uninstall()
    patches.uninstall()
    scope.set_everywhere(False)


def installed() -> bool:
    """Whether `install` is in effect."""
    return _Finder in sys.meta_path
