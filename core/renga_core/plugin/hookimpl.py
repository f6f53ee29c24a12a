"""`hookimpl`: marks a function of a plugin as a hook."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

__all__ = ["PROJECT", "hookimpl"]

PROJECT = "renga"
"""The entry-point group, and the project name that pluggy uses for Renga's marks."""

P = ParamSpec("P")
R = TypeVar("R")


@overload
def hookimpl(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def hookimpl(*, optional: bool = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def hookimpl(function: Callable[P, R] | None = None, /, *, optional: bool = False) -> object:
    """Mark a function of a plugin as one of Renga's hooks; its name says which one (see `hookspecs`).

    Args:
        function: The function, when used as ``@hookimpl``.
        optional: Ignore the function silently if the hook is unknown. Use it for hooks of a kind that another plugin
            adds, if that plugin may be missing.
    """
    from pluggy import HookimplMarker  # saves 20 ms of `import renga`

    mark = HookimplMarker(PROJECT)(optionalhook=optional)
    return mark if function is None else mark(function)
