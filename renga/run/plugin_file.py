"""The Python file of a run: a plugin that no distribution brings."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from renga_core.plugin import get_manager
from renga_core.settings import SettingsError

__all__ = ["add_plugin"]


def add_plugin(path: str, origin: str) -> None:
    """Import a Python file as a module of its name, and add it to the plugins of this process.

    Its folder goes to the end of the module path, as a program's own goes to the start: worker processes find it there.

    Args:
        path: Of the file.
        origin: Where it was said, for messages.

    Raises:
        SettingsError: There is no such file, its name is not a module's, or another module has this name.
        Exception: What importing it raises; a note says which file it was.
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
