"""Renga's `InvalidType` as one of Chainer's, so that ``except type_check.InvalidType`` catches both."""

from __future__ import annotations

import threading
from typing import Any

import renga_core.graph

__all__ = ["ADDITIONS", "InvalidType", "checking"]


class _Checking(threading.local):
    """What a thread is checking."""

    current_function: Any = None
    light_mode = False


checking = _Checking()


class InvalidType(Exception):
    """Arguments of a function are not what it takes.

    Renga's own `renga_core.graph.InvalidType` derives from this while `renga_chainer` is installed, so that programs
    catch both.

    Args:
        expect: The condition.
        actual: What there is.
        msg: The whole message, if it is not to be made of these.
    """

    def __init__(self, expect: str, actual: str, msg: str | None = None) -> None:
        if msg is None:
            msg = f"Expect: {expect}\nActual: {actual}"
            if checking.current_function is not None:
                msg = f"\nInvalid operation is performed in: {checking.current_function.label} (Forward)\n\n{msg}"
        super().__init__(msg)
        self.expect, self.actual = expect, actual

    def __reduce__(self) -> tuple[Any, ...]:
        if type(self) is not InvalidType:  # Renga's, which has arguments of its own
            return super().__reduce__()  # type: ignore[return-value]  # of an exception it is a tuple
        return InvalidType, (self.expect, self.actual, self.args[0])


def _expect(self: renga_core.graph.InvalidType) -> str:
    """What the function takes."""
    return self.expected


ADDITIONS: list[tuple[Any, str, Any]] = [
    (renga_core.graph.InvalidType, "__bases__", (*renga_core.graph.InvalidType.__bases__, InvalidType)),
    (renga_core.graph.InvalidType, "expect", property(_expect)),
]
