"""Said once each: what a program asks for, and Renga does in another way."""

from __future__ import annotations

import warnings

__all__ = ["CompatibilityWarning", "forget", "notice"]


class CompatibilityWarning(UserWarning):
    """A program for Chainer, or an older NumPy or Python, uses what is there only while `renga_chainer` is installed.

    ``warnings.simplefilter("ignore", renga_chainer.CompatibilityWarning)`` silences them all.
    """


_said: set[str] = set()


def notice(about: str, message: str, stacklevel: int = 2) -> None:
    """Warn, at the first call with `about`.

    Args:
        about: What it is about.
        message: What to say.
        stacklevel: As of `warnings.warn`, counted from the caller.
    """
    if about not in _said:
        _said.add(about)
        warnings.warn(message, CompatibilityWarning, stacklevel=stacklevel + 1)


def forget() -> None:
    """Say everything once more."""
    _said.clear()
