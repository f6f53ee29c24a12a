"""For whom Chainer's behaviour counts: for code that uses `chainer`, and for all that this code calls.

A module uses Chainer once it has taken a name from it: ``from chainer import Variable``, ``F.relu``. Code of other
modules sees Renga as it is, in the same process too. A program that is Chainer's as a whole needs no look at the stack:
one whose ``__main__`` uses it, and one that `renga run-chainer` runs.
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
"""In the globals of a module that uses Chainer."""

_TOOLS = frozenset({"_pytest", "pluggy", "_frozen_importlib", *sys.stdlib_module_names} - {"__main__"})
"""Packages that look into modules for others: unpickling, mocks, ``from chainer import functions``."""

_everywhere = False

ABSENT: Any = object()
"""Instead of a value: there is none."""


def set_everywhere(value: bool) -> None:
    """Whether Chainer's behaviour counts for all code of the process."""
    global _everywhere
    _everywhere = value


def is_everywhere() -> bool:
    """Whether it is so."""
    return _everywhere


def of_chainer() -> bool:
    """Whether what runs in this thread is called, directly or not, by code that uses Chainer."""
    if _everywhere or _MARK in getattr(sys.modules.get("__main__"), "__dict__", ()):
        return True
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _MARK in frame.f_globals:
            return True
        frame = frame.f_back
    return False


def called_by_renga() -> bool:
    """Whether Renga itself has called, or asked for, what calls this."""
    frame = sys._getframe(2)
    while frame.f_globals is globals():  # of a property, `Either` was asked
        frame = frame.f_back  # type: ignore[assignment]  # there is one: who asked
    found: str = frame.f_globals.get("__name__", "")
    return found.startswith("renga")


def mark(module: dict[str, Any]) -> None:
    """Note that a module uses Chainer; Renga's own and tools do not, who look names up for others.

    Args:
        module: Its globals.
    """
    if _everywhere:
        return
    package = module.get("__name__", "").partition(".")[0]
    if not package.startswith("renga") and package not in _TOOLS:
        module[_MARK] = True


class Either:
    """An attribute of a class that is Chainer's for code of Chainer's, and Renga's for all other code.

    What counts is decided where the attribute is looked up, so that no frame stands between a method and its caller.

    Args:
        holder: The class.
        name: Of the attribute.
        theirs, ours: What the class has in its `__dict__` for either; `ABSENT` if Renga's has none.
    """

    def __init__(self, holder: type, name: str, theirs: Any, ours: Any) -> None:
        self.holder, self.name, self.theirs, self.ours = holder, name, theirs, ours
        self.__doc__ = getattr(theirs if ours is ABSENT else ours, "__doc__", None)

    def __get__(self, instance: Any, owner: type) -> Any:
        found = self.theirs if of_chainer() else self.ours
        if found is ABSENT:
            # What a class behind the holder has; AttributeError if there is none.
            return getattr(super(self.holder, owner if instance is None else instance), self.name)
        get = getattr(type(found), "__get__", None)
        return found if get is None else get(found, instance, owner)


class EitherProperty(Either):
    """Like `Either`, of what is a property for one of the two at least: it comes before what the instance holds."""

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
    """What a class behind the holder says of assignments; None if nothing."""
    order = type(instance).__mro__
    for cls in order[order.index(either.holder) + 1 :]:
        if either.name in vars(cls):
            found = vars(cls)[either.name]
            return found if hasattr(type(found), "__set__") else None
    return None


def either(holder: Any, name: str, theirs: Any, ours: Any) -> Any:
    """What a class or a module gets under `name`: Chainer's for code of Chainer's, Renga's for all other code.

    Args:
        holder: The class or module.
        theirs, ours: What is in its `__dict__` for either; `ours` is `ABSENT` if Renga has none there.
    """
    if not isinstance(holder, type):
        return _either_function(theirs, ours)
    of_both = [type(value) for value in (theirs, ours) if value is not ABSENT]
    kind = EitherProperty if any(hasattr(cls, "__set__") for cls in of_both) else Either
    return kind(holder, name, theirs, ours)


def _either_function(theirs: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a module."""

    def apply(*args: Any, **kwargs: Any) -> Any:
        return (theirs if of_chainer() else ours)(*args, **kwargs)

    return apply
