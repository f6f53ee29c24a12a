"""Renga's `InvalidType` becomes one of Chainer's, so that ``except type_check.InvalidType`` catches both."""

from __future__ import annotations

import threading
from typing import Any

import renga_core.graph

__all__ = ["ADDITIONS", "InvalidType", "checking"]


class _Checking(threading.local):
    """The function that a thread is checking."""

    current_function: Any = None
    light_mode = False


checking = _Checking()


class InvalidType(Exception):
    """The arguments of a function have wrong types or shapes.

    While `renga_chainer` is installed, Renga's own `renga_core.graph.InvalidType` derives from this class, so that
    programs catch both.

    Args:
        expect: The condition.
        actual: The actual value.
        msg: Complete message; by default composed of the other two.
    """

    def __init__(self, expect: str, actual: str, msg: str | None = None) -> None:
        if msg is None:
            msg = f"Expect: {expect}\nActual: {actual}"
            if checking.current_function is not None:
                msg = f"\nInvalid operation is performed in: {checking.current_function.label} (Forward)\n\n{msg}"
        super().__init__(msg)
        self.expect, self.actual = expect, actual

    def __reduce__(self) -> tuple[Any, ...]:
        if type(self) is not InvalidType:  # Renga's class has other arguments
            return super().__reduce__()  # type: ignore[return-value]  # of an exception it is a tuple
        return InvalidType, (self.expect, self.actual, self.args[0])


def _expect(self: renga_core.graph.InvalidType) -> str:
    """The function being checked."""
    return self.expected


ADDITIONS: list[tuple[Any, str, Any]] = [
    (renga_core.graph.InvalidType, "__bases__", (*renga_core.graph.InvalidType.__bases__, InvalidType)),
    (renga_core.graph.InvalidType, "expect", property(_expect)),
]
