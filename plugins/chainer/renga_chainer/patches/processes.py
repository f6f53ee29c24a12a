"""Installs `renga_chainer` in processes that a program spawns, before they import the program.

A new process first unpickles its arguments. One of them is an object whose unpickling calls `install`.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import spawn
from typing import Any

from renga_chainer import scope

__all__ = ["ADDITIONS", "install_in_child"]

_get_preparation_data = spawn.get_preparation_data


class _Installation:
    """Call `install_in_child` and return None; used for unpickling."""

    def __reduce__(self) -> tuple[Callable[[bool], None], tuple[bool]]:
        return install_in_child, (scope.is_everywhere(),)


def install_in_child(everywhere: bool) -> None:
    """Install as in the parent, even if a real Chainer is installed."""
    from renga_chainer.finder import install

    install(replace=True, everywhere=everywhere)


def get_preparation_data(name: str) -> dict[str, Any]:
    """Like Python's, plus an `_Installation`, which `multiprocessing.spawn.prepare` ignores."""
    return {**_get_preparation_data(name), "renga_chainer": _Installation()}


ADDITIONS: list[tuple[Any, str, Any]] = [(spawn, "get_preparation_data", get_preparation_data)]
"""Class (or module), name, value."""
