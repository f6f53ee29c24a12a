"""Runs programs written for Chainer, ChainerMN and ChainerCV, unmodified: their imports resolve to Renga.

In a shell: ``renga run-chainer script.py …`` or ``python -m renga_chainer script.py …``; in a test run:
``pytest -p renga_chainer.pytest``; in a program: ``renga_chainer.install()`` before it imports `chainer`.

- `finder`: what `install` puts into the import system. `mirror`: the modules it makes.
- `names.json`: Chainer 7.8.1's public modules and the names in each.
- `modules`: what is said differently here than by Renga, under the path that it has in Chainer: `modules.chainer.cuda`
  is what a program gets of ``import chainer.cuda``. All else is Renga's own.
- `scope`: who gets Chainer's behaviour: code that uses `chainer`, and what it calls; nobody else in the process.
- `patches`: what Renga's classes are for that code, such as `Link.to_gpu`.
- `random`, `configuration`: random numbers from NumPy's global generator, and entries, as Chainer has them.
- `removed_names`: names that NumPy and Python had then. `notices`: what is said once, as a `CompatibilityWarning`.
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
    """Import what is asked for only then: whoever lists plugins imports this package."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "notices" if name == "CompatibilityWarning" else "finder"
    return getattr(importlib.import_module(f"renga_chainer.{home}"), name)
