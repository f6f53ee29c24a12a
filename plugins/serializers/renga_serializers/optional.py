"""Optional libraries."""

from __future__ import annotations

import importlib.util

from renga_core.errors import RengaError

__all__ = ["require"]


def require(module: str, asker: str, extra: str) -> None:
    """Raise `RengaError` if an optional library is not installed. Nothing is imported.

    Args:
        module: Name of the module to import.
        asker: What needs it, for the message.
        extra: The extra of Renga's distribution that installs it.
    """
    if importlib.util.find_spec(module) is None:
        raise RengaError(
            f"{asker} needs the module {module!r}, which is not installed.\nNext: pip install 'renga[{extra}]'"
        )
