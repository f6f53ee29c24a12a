"""The mark that makes a function of a plugin a hook."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

__all__ = ["PROJECT", "hookimpl"]

PROJECT = "renga"
"""The entry-point group, and the name under which pluggy keeps Renga's marks."""

P = ParamSpec("P")
R = TypeVar("R")


@overload
def hookimpl(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def hookimpl(*, optional: bool = ...) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def hookimpl(function: Callable[P, R] | None = None, /, *, optional: bool = False) -> object:
    """Mark a function of a plugin as one of Renga's hooks; the function's name says which (see `hookspecs`).

    Args:
        function: The function, when used as ``@hookimpl``.
        optional: Pass over the function in silence where the hook is unknown: it describes providers of a kind that
            another plugin adds, and that plugin need not be installed.
    """
    from pluggy import HookimplMarker  # 20 ms that `import renga` need not pay

    mark = HookimplMarker(PROJECT)(optionalhook=optional)
    return mark if function is None else mark(function)
