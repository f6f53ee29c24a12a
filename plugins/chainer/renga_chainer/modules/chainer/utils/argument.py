"""``chainer.utils.argument``: keyword-only arguments, as before Python 3."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["assert_kwargs_empty", "check_unexpected_kwargs", "parse_kwargs"]


def check_unexpected_kwargs(kwargs: dict[str, Any], **unexpected: str) -> None:
    """Raise an error for certain arguments.

    Args:
        kwargs: The arguments given.
        unexpected: A message for each forbidden argument.

    Raises:
        ValueError: A forbidden argument was given.
    """
    for name, message in unexpected.items():
        if name in kwargs:
            raise ValueError(message)


def parse_kwargs(kwargs: dict[str, Any], *name_and_values: tuple[str, Any], **unexpected: str) -> tuple[Any, ...]:
    """Take the values of keyword arguments out of `kwargs`.

    Args:
        kwargs: The arguments given.
        name_and_values: Names and defaults.
        unexpected: See `check_unexpected_kwargs`.

    Raises:
        TypeError: An unknown argument was given.
        ValueError: A forbidden argument was given.
    """
    return _parse(kwargs, name_and_values, unexpected)


def assert_kwargs_empty(kwargs: dict[str, Any]) -> None:
    """Raise an error if there are keyword arguments.

    Raises:
        TypeError: There are.
    """
    _parse(kwargs, (), {})


def _parse(
    kwargs: dict[str, Any], name_and_values: tuple[tuple[str, Any], ...], unexpected: dict[str, str]
) -> tuple[Any, ...]:
    values = tuple([kwargs.pop(name, default) for name, default in name_and_values])
    if kwargs:
        check_unexpected_kwargs(kwargs, **unexpected)
        caller = sys._getframe(2).f_code.co_name
        names = ", ".join(map(repr, sorted(kwargs)))
        raise TypeError(f"{caller}() got unexpected keyword argument(s) {names}")
    return values
