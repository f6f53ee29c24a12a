"""Decides which code gets Chainer's behaviour: code that uses `chainer`, and all code that it calls.

A module uses Chainer once it has taken a name from it: ``from chainer import Variable``, ``F.relu``. Code of other
modules in the same process gets Renga's behaviour. If ``__main__`` uses Chainer, or `renga run-chainer` runs the
program, all code gets Chainer's, without looking at the stack.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = [
    "ABSENT",
    "Either",
    "EitherProperty",
    "called_by_renga",
    "either",
    "is_everywhere",
    "mark",
    "of_chainer",
    "set_everywhere",
]

_MARK = "__uses_chainer__"
"""Marks the globals of a module that uses Chainer."""

_TOOLS = frozenset({"_pytest", "pluggy", "_frozen_importlib", *sys.stdlib_module_names} - {"__main__"})
"""Packages that look up names for other code: unpickling, mocks, ``from chainer import functions``."""

_everywhere = False

ABSENT: Any = object()
"""Stands for a missing value."""


def set_everywhere(value: bool) -> None:
    """Whether all code of the process gets Chainer's behaviour."""
    global _everywhere
    _everywhere = value


def is_everywhere() -> bool:
    """Whether all code gets Chainer's behaviour."""
    return _everywhere


def of_chainer() -> bool:
    """Whether code that uses Chainer has called the current code of this thread, directly or not."""
    if _everywhere or _MARK in getattr(sys.modules.get("__main__"), "__dict__", ()):
        return True
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _MARK in frame.f_globals:
            return True
        frame = frame.f_back
    return False


def called_by_renga() -> bool:
    """Whether Renga itself made the call or the lookup."""
    frame = sys._getframe(2)
    while frame.f_globals is globals():  # skip the frames of `Either`
        frame = frame.f_back  # type: ignore[assignment]  # there is one: who asked
    found: str = frame.f_globals.get("__name__", "")
    return found.startswith("renga")


def mark(module: dict[str, Any]) -> None:
    """Record that a module uses Chainer, except Renga's own modules and tools that look up names for others.

    Args:
        module: Globals of the module.
    """
    if _everywhere:
        return
    package = module.get("__name__", "").partition(".")[0]
    if not package.startswith("renga") and package not in _TOOLS:
        module[_MARK] = True


class Either:
    """An attribute of a class: code that uses Chainer gets Chainer's, all other code gets Renga's.

    The lookup decides, so that there is no additional frame between a method and its caller.

    Args:
        holder: Class with the attribute.
        name: Name of the attribute.
        theirs, ours: Values for Chainer's code and for other code; `ABSENT` if Renga's class has none.
    """

    def __init__(self, holder: type, name: str, theirs: Any, ours: Any) -> None:
        self.holder, self.name, self.theirs, self.ours = holder, name, theirs, ours
        self.__doc__ = getattr(theirs if ours is ABSENT else ours, "__doc__", None)

    def __get__(self, instance: Any, owner: type) -> Any:
        found = self.theirs if of_chainer() else self.ours
        if found is ABSENT:
            # Use the attribute of a base class; AttributeError if there is none.
            return getattr(super(self.holder, owner if instance is None else instance), self.name)
        get = getattr(type(found), "__get__", None)
        return found if get is None else get(found, instance, owner)


class EitherProperty(Either):
    """Like `Either`, if either value is a property: it has precedence over the instance's attributes."""

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is not None:
            found = self.theirs if of_chainer() else self.ours
            if not hasattr(type(found), "__set__") and self.name in getattr(instance, "__dict__", ()):
                return instance.__dict__[self.name]
        return super().__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        found = self.theirs if of_chainer() else self.ours
        put = getattr(type(found), "__set__", None)
        if put is not None:
            put(found, instance, value)
        elif found is ABSENT and (behind := _property_behind(self, instance)) is not None:
            behind.__set__(instance, value)
        else:
            instance.__dict__[self.name] = value

    def __delete__(self, instance: Any) -> None:
        found = self.theirs if of_chainer() else self.ours
        remove = getattr(type(found), "__delete__", None)
        if remove is not None:
            remove(found, instance)
        else:
            try:
                del instance.__dict__[self.name]
            except KeyError:
                raise AttributeError(self.name) from None


def _property_behind(either: EitherProperty, instance: Any) -> Any:
    """Return the base class's way of setting the attribute; None if it has none."""
    order = type(instance).__mro__
    for cls in order[order.index(either.holder) + 1 :]:
        if either.name in vars(cls):
            found = vars(cls)[either.name]
            return found if hasattr(type(found), "__set__") else None
    return None


def either(holder: Any, name: str, theirs: Any, ours: Any) -> Any:
    """Return the value to store under `name` in a class or module, for both kinds of code.

    Args:
        holder: Class or module.
        theirs, ours: Values for Chainer's code and for other code; `ours` is `ABSENT` if Renga has none.
    """
    if not isinstance(holder, type):
        return _either_function(theirs, ours)
    of_both = [type(value) for value in (theirs, ours) if value is not ABSENT]
    kind = EitherProperty if any(hasattr(cls, "__set__") for cls in of_both) else Either
    return kind(holder, name, theirs, ours)


def _either_function(theirs: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function of a module."""

    def apply(*args: Any, **kwargs: Any) -> Any:
        return (theirs if of_chainer() else ours)(*args, **kwargs)

    return apply
