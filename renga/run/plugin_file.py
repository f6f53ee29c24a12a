"""The Python file of a run, which is a plugin without a distribution."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from renga_core.plugin import get_manager
from renga_core.settings import SettingsError

__all__ = ["add_plugin"]


def add_plugin(path: str, origin: str) -> None:
    """Import a Python file as a module, and add it to the plugins of this process.

    The file's folder is appended to `sys.path`, so that worker processes find the module.

    Args:
        path: Path of the file.
        origin: Where the path comes from, for messages.

    Raises:
        SettingsError: The file does not exist, its name is no module name, or another module has this name.
        Exception: Importing the file raised it; a note names the file.
    """
    file = Path(path).resolve()
    where = f"run.plugin (from {origin})"
    if not file.is_file() or file.suffix != ".py":
        raise SettingsError(f'{where}: {path} is not a Python file. Name one beside the run file: plugin = "mine.py"')
    if not file.stem.isidentifier():
        raise SettingsError(
            f"{where}: {file.name} cannot be imported: '{file.stem}' is not a name in Python. Rename it."
        )
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    try:
        module = importlib.import_module(file.stem)
    except Exception as error:
        error.add_note(f"This was {file}, which {where} names.")
        raise
    found = getattr(module, "__file__", None)
    if found is None or Path(found).resolve() != file:
        other = found or "a module of Python's own"
        raise SettingsError(f"{where}: another module is named '{file.stem}': {other}. Rename {file.name}.")
    manager = get_manager()
    if all(plugin.target != file.stem for plugin in manager.plugins()):
        manager.register(file.stem, module)
