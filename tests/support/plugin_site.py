"""Fixtures: real distributions, one for each kind of failure, and a manager that finds only these."""

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from renga_core.kinds import OPTIMIZER
from renga_core.plugin import Kind, PluginManager, Registry, using_manager
from renga_core.plugin.entry_points import installed_entry_points
from renga_testing.fake_distribution import write_distribution


@dataclass
class Site:
    """A folder on `sys.path` that distributions are installed into."""

    folder: Path
    manager: PluginManager

    def install(self, name: str, plugin: str = "", **more: Any) -> None:
        """Install a distribution with one plugin: entry point `name`, module `<name>_plugin` with source `plugin`."""
        more.setdefault("modules", {f"{name}_plugin": "from renga_core.plugin import *\n" + plugin})
        more.setdefault("entry_points", {name: f"{name}_plugin"})
        write_distribution(self.folder, more.pop("distribution", f"{name}-dist"), **more)
        importlib.invalidate_caches()
        self.manager.refresh()

    def registry(self, kind: Kind[Any]) -> Registry[Any]:
        return Registry(kind, self.manager)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("RENGA_PLUGINS_DISABLE", "RENGA_PLUGIN_AUTOLOAD", "RENGA_PLUGINS_REQUIRED", "RENGA_BACKEND"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)  # outside Renga's own pyproject.toml
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    ours = {(point.distribution, point.value) for point in installed_entry_points()}
    manager = PluginManager(lambda: [p for p in installed_entry_points() if (p.distribution, p.value) not in ours])
    with using_manager(manager):
        yield Site(folder, manager)
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def provider(name: str, **fields: Any) -> str:
    """Source of a `Provider`."""
    given: dict[str, Any] = {"target": "os:getcwd", "revision": 1, "summary": "for a test", **fields}
    return f"Provider(name={name!r}, {', '.join(f'{key}={value!r}' for key, value in given.items())})"


@pytest.fixture
def offering() -> Callable[..., str]:
    """Source of a plugin that offers optimizers of these names: `offering("lion", needs=("nowhere",))`."""

    def source(*names: str, hook: str = "renga_optimizers", **fields: Any) -> str:
        described = ", ".join(provider(name, **fields) for name in names)
        return f"@hookimpl\ndef {hook}():\n    return [{described}]\n"

    return source


@pytest.fixture
def good(site, offering):
    """A second plugin, which must still work."""
    site.install("good", offering("adam"))
    return lambda: site.registry(OPTIMIZER).get("adam").full_name == "good:adam"
