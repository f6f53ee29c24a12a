"""The error for a name that a public module does not have: the name is unknown, or its plugin is not loaded."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

from renga_core.errors import did_you_mean
from renga_core.plugin import ProviderUnavailable, State, get_manager

from .pytorch_names import PYTORCH_NAMES

if TYPE_CHECKING:
    from .view import View

__all__ = ["error"]


def error(view: View, name: str) -> Exception:
    """Return the error for a name that no loaded plugin has.

    The stub beside the module lists every name that Renga ships, so it shows which package a name belongs to.
    """
    package = _package(view.module, name)
    if package:
        return ProviderUnavailable(f"{view.module}.{name} cannot be used: {_why(package)}")
    aliases = {it.offer.name: public for public, same in view.public.entries().items() for it in same}
    meant = aliases.get(name)  # the name that run files use
    if of_pytorch := PYTORCH_NAMES.get(view.module, {}).get(name):
        hint = f" In Renga, PyTorch's {name!r} is '{of_pytorch}'."
    elif meant:
        hint = f" Did you mean {meant!r}?"
    else:
        hint = did_you_mean(name, [*view.own, *view.modules, *view.public.usable()])
    plugins = [plugin for plugin in get_manager().plugins() if plugin.status.state is not State.READY]
    unloaded = "".join(f"\n  - {plugin}: {plugin.status}" for plugin in plugins)
    text = f"module {view.module!r} has no attribute {name!r}.{hint}".removesuffix(".")
    text = f"{text}\nNot loaded:{unloaded}" if unloaded else text
    return AttributeError(text, name=name, obj=None)  # so that Python adds no suggestions of its own


def _package(module: str, name: str) -> str:
    """The package of Renga that has a name when all its plugins are loaded; "" if none has it."""
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    stub = Path(spec.origin).with_suffix(".pyi")
    text = stub.read_text(encoding="utf-8") if stub.is_file() else ""
    found = re.search(rf"^from (\w+)[\w.]* import {re.escape(name)} as {re.escape(name)}$", text, re.MULTILINE)
    return found[1] if found else ""


def _why(package: str) -> str:
    for plugin in get_manager().plugins():
        if plugin.target.split(".")[0] == package:
            state, reason, next_step = plugin.status
            return f"{plugin} is {state}: {reason}.\nNext: {next_step}"
    return f"no plugin of package '{package}' is installed.\nNext: pip install --force-reinstall renga"
