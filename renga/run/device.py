"""The device of a run: the required one, or the first usable one of a list."""

from __future__ import annotations

from renga.run.run_file import RunDescription
from renga_core.backend import Device, get_device
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import AmbiguousProvider, ProviderUnavailable, RengaPluginError, messages, registry
from renga_core.plugin.provider import AUTO
from renga_core.settings import SettingsError

__all__ = ["find_device"]


def find_device(run: RunDescription, notes: list[str]) -> Device:
    """Return the device that ``run.backend`` names; for a list or ``auto``, the first one that works.

    Skips backends that cannot be imported or made, lack a requirement, or do not have the device.

    Args:
        run: The run.
        notes: Gets a sentence for each skipped backend, except for those that ``auto`` skips because this machine does
            not have them.

    Raises:
        RengaPluginError: The required backend, or every backend of the list, cannot be used.
        SettingsError: The device does not exist.
    """
    origin = run.where("run.backend")
    if isinstance(run.backend, str) and run.backend != AUTO:
        try:
            return get_device(run.backend, origin=origin)
        except ValueError as error:  # the device does not exist
            raise SettingsError(f"run.backend (from {origin}): {error}") from error
    backends = registry(ARRAY_BACKEND)
    wishes = run.backend if isinstance(run.backend, tuple) else backends.automatic()
    skipped = []
    for wish in wishes:
        try:
            return get_device(wish, origin=origin)
        except AmbiguousProvider:
            raise  # skipping it would make the choice depend on what is installed
        except (RengaPluginError, ValueError) as error:
            skipped.append((wish, getattr(error, "reason", str(error))))
            if run.backend != AUTO or not isinstance(error, ProviderUnavailable):
                notes.append(f"without {wish}: {skipped[-1][1]}")
    raise messages.none_usable(ARRAY_BACKEND, wishes, origin, skipped)
