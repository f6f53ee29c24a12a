"""Reading pickles as data, without running code.

A pickle is a program. Here the functions that it refers to are never called: the calls are recorded. Code that reads a
file makes values only from recorded calls that it knows, with checked arguments.
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
    """The pickle refers to something that is not allowed."""


class Called:
    """A recorded call: the function, its arguments, and the state that the result would get."""

    __slots__ = ("arguments", "name", "state")

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        self.name = name
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class Function:
    """Stands for a function or class; calling it only records the call."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *arguments: Any) -> Called:
        """Record the call."""
        return Called(self.name, arguments)


class _Unpickler(pickle.Unpickler):
    """Makes None, numbers, texts, tuples, lists, dictionaries, `Called`, and the stand-ins of known functions."""

    def __init__(
        self, content: bytes, known: Mapping[str, Callable[[], Any]], persistent: Callable[[Any], Any] | None
    ) -> None:
        super().__init__(io.BytesIO(content), encoding="latin1")
        self._known = known
        self._persistent = persistent

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in. Raises `Forbidden` for unknown names."""
        full = f"{module}.{name}"
        if full not in self._known:
            raise Forbidden(full)
        return self._known[full]()

    def persistent_load(self, pid: Any) -> Any:
        """Return the stand-in for a persistent id. Raises `Forbidden` if there is none."""
        if self._persistent is None:
            raise Forbidden("a persistent id")
        return self._persistent(pid)


def take_pickle(stream: IO[bytes]) -> bytes:
    """Read the bytes of one pickle from the current position of a stream.

    Raises:
        ValueError: A size or memo index is larger than the pickle, for which Python would allocate memory in advance;
            or the pickle is incomplete.
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
        content: All its bytes.
        known: Allowed names in full, each with a stand-in: a `Function`, or another callable, which the pickle may call
            with any arguments, and change.
        persistent: Called with a persistent id; returns its stand-in.

    Raises:
        Forbidden: The pickle refers to something else.
        ValueError: The pickle is inconsistent (`take_pickle`), or bytes are left over.
        Exception: Other errors that `pickle` raises for a damaged one.
    """
    if len(take_pickle(io.BytesIO(content))) < len(content):
        raise ValueError("bytes are left over")
    return _Unpickler(content, known, persistent).load()
