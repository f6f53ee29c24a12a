"""Marks functions as experimental or nondeterministic."""

from __future__ import annotations

import warnings

from renga_core.configuration import config

__all__ = ["experimental", "nondeterministic"]


def experimental(api_name: str) -> None:
    """Warn (FutureWarning) that the calling function may change. Call it at the start of an experimental function.

    Python's filters silence it: ``warnings.filterwarnings("ignore", category=FutureWarning, module=…)``.

    Args:
        api_name: Public name of the function, as in ``"renga.compile"``.
    """
    warnings.warn(f"{api_name} is experimental: it may change in any release", FutureWarning, stacklevel=3)


def nondeterministic(f_name: str) -> None:
    """Warn that the results of a function may differ between runs, if ``config.warn_nondeterministic``.

    Args:
        f_name: Name of the function.
    """
    if config.warn_nondeterministic:
        warnings.warn(f"{f_name} may compute different results in each run", UserWarning, stacklevel=3)
