"""Warnings, once each, when Renga does something differently than a program asks."""

from __future__ import annotations

import warnings

__all__ = ["CompatibilityWarning", "forget", "notice"]


class CompatibilityWarning(UserWarning):
    """Warns of names and arguments that exist only while `renga_chainer` is installed.

    ``warnings.simplefilter("ignore", renga_chainer.CompatibilityWarning)`` silences all of them.
    """


_said: set[str] = set()


def notice(about: str, message: str, stacklevel: int = 2) -> None:
    """Warn, only at the first call with `about`.

    Args:
        about: Subject of the warning.
        message: Text of the warning.
        stacklevel: See `warnings.warn`; counted from the caller.
    """
    if about not in _said:
        _said.add(about)
        warnings.warn(message, CompatibilityWarning, stacklevel=stacklevel + 1)


def forget() -> None:
    """Forget which warnings have been given."""
    _said.clear()
