"""Pickles, read as data.

A pickle is a program. Here the functions it asks for are never called: what would be called with what is noted, and
whoever reads the file makes a value of it only where it knows what that is, from parts it has checked.
"""

from __future__ import annotations

import io
import pickle
import pickletools
from collections.abc import Callable, Mapping
from typing import IO, Any

__all__ = ["Called", "Forbidden", "Function", "read_pickle", "take_pickle"]

_REMEMBER = {"PUT", "BINPUT", "LONG_BINPUT"}


class Forbidden(Exception):
    """A pickle asks for this."""


class Called:
    """What a pickle would have made: of which function, with which arguments, and which state it would have got."""

    __slots__ = ("arguments", "name", "state")

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.name = name
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class Function:
    """Stands in for a function or class; calling it calls nothing."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *arguments: Any) -> Called:
        """Note the call."""
        return Called(self.name, arguments)


class _Unpickler(pickle.Unpickler):
    """Makes None, numbers, texts, tuples, lists, dictionaries, `Called`, and what stands in for what is known."""

    def __init__(
        self, content: bytes, known: Mapping[str, Callable[[], Any]], persistent: Callable[[Any], Any] | None
    ) -> None:
        super().__init__(io.BytesIO(content), encoding="latin1")
        self._known = known
        self._persistent = persistent

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in. Raises `Forbidden` for what is not known."""
        full = f"{module}.{name}"
        if full not in self._known:
            raise Forbidden(full)
        return self._known[full]()

    def persistent_load(self, pid: Any) -> Any:
        """Return what stands in for something outside of the pickle. Raises `Forbidden` if nothing does."""
        if self._persistent is None:
            raise Forbidden("something that is not in it")
        return self._persistent(pid)


def take_pickle(stream: IO[bytes]) -> bytes:
    """Read the bytes of one pickle from where a stream is, to its end.

    Raises:
        ValueError: A size, or the number of a place to remember something at, is larger than the pickle: Python would
            make room for what is announced before it comes. Or it ends in the middle.
    """
    start = stream.tell()
    most = 0
    for opcode, argument, _ in pickletools.genops(stream):  # which compares sizes
        if opcode.name in _REMEMBER:
            most = max(most, int(argument or 0))
    end = stream.tell()
    if most > end - start:
        raise ValueError(f"it remembers something at place {most:,}, and has {end - start:,} bytes")
    stream.seek(start)
    return stream.read(end - start)


def read_pickle(
    content: bytes, known: Mapping[str, Callable[[], Any]], persistent: Callable[[Any], Any] | None = None
) -> Any:
    """Read a pickle.

    Args:
        content: Its bytes, all of them.
        known: What may be asked for, by its full name, and what makes something that stands in for it: a `Function`,
            or another callable of its own, which the pickle may call with anything, and change.
        persistent: Is given what the pickle says of something outside of it, and returns what stands in for that.

    Raises:
        Forbidden: It asks for something else.
        ValueError: It is larger inside than outside (`take_pickle`), or bytes are left over.
        Exception: What else `pickle` raises for a damaged one.
    """
    if len(take_pickle(io.BytesIO(content))) < len(content):
        raise ValueError("bytes are left over")
    return _Unpickler(content, known, persistent).load()
