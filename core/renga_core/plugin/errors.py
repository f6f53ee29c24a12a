"""Errors of plugins and providers.

Each message contains the kind, the name, where the name came from, the reason, and the next step.
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
    """A plugin is faulty, or a request cannot be satisfied by plugins.

    Args:
        message: The complete message.
        reason: The reason alone, for lists of skipped providers.
    """

    exit_status = 2

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason or message


class UnknownProvider(RengaPluginError):
    """No loaded plugin offers this name."""


class AmbiguousProvider(RengaPluginError):
    """Several plugins offer this name, and no setting chooses one."""


class ProviderUnavailable(RengaPluginError, RuntimeError):
    """The provider is known but cannot be used here: a module is missing, its probe fails, or it is disabled."""


class ProviderIncompatible(RengaPluginError):
    """The provider was made for another version of Renga, or of the kind's interface."""


class ProviderFaulty(RengaPluginError):
    """The plugin raised an error, or its description is wrong."""


class InvalidDescription(RengaPluginError, ValueError):
    """A `Provider`, `Kernel` or `Kind` has an invalid field; raised by the constructor."""


class RengaPluginWarning(UserWarning):
    """A plugin could not be loaded completely. Shown once; `renga plugins` shows the details."""
