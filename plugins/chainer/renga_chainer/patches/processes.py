"""Processes that a program spawns have `chainer`, too: they import the program before they get to know anything else.

What a new process is told first is unpickled; with it comes something whose unpickling installs `renga_chainer`.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import spawn
from typing import Any

from renga_chainer import scope

__all__ = ["ADDITIONS", "install_in_child"]

_get_preparation_data = spawn.get_preparation_data


class _Installation:
    """Unpickled, None: after `install_in_child`."""

    def __reduce__(self) -> tuple[Callable[[bool], None], tuple[bool]]:
        return install_in_child, (scope.is_everywhere(),)


def install_in_child(everywhere: bool) -> None:
    """As in the parent, which has been allowed to hide a real Chainer if there is one."""
    from renga_chainer.finder import install

    install(replace=True, everywhere=everywhere)


def get_preparation_data(name: str) -> dict[str, Any]:
    """As Python's, with an `_Installation`, which `multiprocessing.spawn.prepare` passes over."""
    return {**_get_preparation_data(name), "renga_chainer": _Installation()}


ADDITIONS: list[tuple[Any, str, Any]] = [(spawn, "get_preparation_data", get_preparation_data)]
"""Class (or module), name, value."""
