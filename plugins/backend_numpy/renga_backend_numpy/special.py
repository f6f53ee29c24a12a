"""SciPy's special functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from renga_core.backend.special import floating_dtype
from renga_core.errors import RengaError, did_you_mean

__all__ = ["special"]


@cache
def special(name: str) -> Callable[..., Any]:
    """Return the function `name` of `scipy.special`; its result has the dtype of its floating arguments.

    Raises:
        ValueError: SciPy has no such function.
        RengaError: SciPy is not installed.
    """
    try:
        import scipy.special  # imported here so that Renga runs without SciPy
    except ImportError as error:
        raise RengaError(
            f"special function {name!r} needs SciPy; its import failed: {error}. Next: pip install 'renga[scipy]'"
        ) from error
    there = {n: getattr(scipy.special, n) for n in scipy.special.__all__}
    known = {n: found for n, found in there.items() if callable(found) and not isinstance(found, type)}
    if name not in known:
        raise ValueError(f"scipy.special has no function {name!r}.{did_you_mean(name, known)}")
    function = known[name]

    def call(*values: Any) -> Any:
        return np.asarray(function(*values), floating_dtype(*values))

    call.__name__ = name
    return call
