"""What can be wrong with plugins and what they provide.

Each message says the kind, the name, where the name came from, the reason, and the next step.
"""

from __future__ import annotations

from renga_core.errors import RengaError

__all__ = [
    "AmbiguousProvider",
    "InvalidDescription",
    "ProviderFaulty",
    "ProviderIncompatible",
    "ProviderUnavailable",
    "RengaPluginError",
    "RengaPluginWarning",
    "UnknownProvider",
]


class RengaPluginError(RengaError):
    """Something about plugins, or about what was asked of them, is wrong.

    Args:
        message: The whole of it.
        reason: The reason alone, for a list of what was skipped.
    """

    exit_status = 2

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message


class UnknownProvider(RengaPluginError):
    """No loaded plugin offers this name."""


class AmbiguousProvider(RengaPluginError):
    """Several plugins offer this name, and nobody said which is meant."""


class ProviderUnavailable(RengaPluginError, RuntimeError):
    """It is known, but cannot be used here: a module is missing, its probe says no, or it was disabled."""


class ProviderIncompatible(RengaPluginError):
    """It was made for another version of Renga, or of the kind's interface."""


class ProviderFaulty(RengaPluginError):
    """Its plugin raised, or describes itself wrongly."""


class InvalidDescription(RengaPluginError, ValueError):
    """A `Provider`, `Kernel` or `Kind` has a field that cannot be right; raised where it is constructed."""


class RengaPluginWarning(UserWarning):
    """A plugin could not be loaded, or not wholly. Shown once; `renga plugins` keeps the whole story."""
