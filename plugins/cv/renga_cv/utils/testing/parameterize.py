"""One test class, many settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from renga_testing import cases

__all__ = ["parameterize"]


def parameterize(*params: Mapping[str, Any]) -> Callable[[Any], Any]:
    """Copy a test class for each of `params`, which become its attributes: `renga_testing.cases.parameterize`.

    Raises:
        TypeError: One of `params` is not a dict of names and values.
    """
    return cases.parameterize(*params)
