"""Runs unmodified programs for Chainer, ChainerMN and ChainerCV: their imports resolve to Renga.

In a shell: ``renga run-chainer script.py …`` or ``python -m renga_chainer script.py …``; in tests:
``pytest -p renga_chainer.pytest``; in a program: ``renga_chainer.install()``, before it imports `chainer`.

- `finder`: `install`, and the import hook that it adds. `mirror`: the modules that the hook creates.
- `names.json`: the public modules of Chainer 7.8.1 and their names.
- `modules`: everything that differs from Renga, under its path in Chainer: ``import chainer.cuda`` imports
  `modules.chainer.cuda`. All other names are Renga's own.
- `scope`: which code gets Chainer's behaviour: code that uses `chainer`, and the code that it calls.
- `patches`: changes of Renga's classes for that code, such as `Link.to_gpu`.
- `random`, `configuration`: Chainer's configuration entries, and random numbers from NumPy's global generator.
- `removed_names`: names that NumPy and Python have removed since. `notices`: `CompatibilityWarning`, once per
  difference.
- `runner`: the command.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from renga_chainer.finder import install, installed, uninstall
    from renga_chainer.notices import CompatibilityWarning

__all__ = ["CompatibilityWarning", "install", "installed", "uninstall"]


def __getattr__(name: str) -> Any:
    """Import submodules at their first use, because listing plugins imports this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "notices" if name == "CompatibilityWarning" else "finder"
    return getattr(importlib.import_module(f"renga_chainer.{home}"), name)
