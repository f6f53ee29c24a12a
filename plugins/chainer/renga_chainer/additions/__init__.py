"""Methods and attributes that Renga's classes get while `renga_chainer` is installed.

Programs of Chainer's hold Renga's own Variables and Links, so that what they expect of them has to be put there.
"""

from __future__ import annotations

from typing import Any

from renga_chainer.additions import initial_weights, lstm, order_sampler, walker_alias

__all__ = ["install", "uninstall"]

_ADDITIONS: list[tuple[type, str, Any]] = [
    *initial_weights.ADDITIONS,
    *lstm.ADDITIONS,
    *order_sampler.ADDITIONS,
    *walker_alias.ADDITIONS,
]
"""Class, name, value."""
_before: list[tuple[type, str, Any]] = []
_ABSENT = object()


def install() -> None:
    """Put all there."""
    for cls, name, value in _ADDITIONS:
        _before.append((cls, name, cls.__dict__.get(name, _ABSENT)))
        setattr(cls, name, value)


def uninstall() -> None:
    """Put things back as they were."""
    while _before:
        cls, name, value = _before.pop()
        if value is _ABSENT:
            delattr(cls, name)
        else:
            setattr(cls, name, value)
