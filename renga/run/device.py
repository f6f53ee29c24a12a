"""Where a run computes: one demanded device, or the first that can be used of those wished for."""

from __future__ import annotations

from renga.run.run_file import RunDescription
from renga_core.backend import Device, get_device
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import AmbiguousProvider, ProviderUnavailable, RengaPluginError, messages, registry
from renga_core.plugin.provider import AUTO
from renga_core.settings import SettingsError

__all__ = ["find_device"]


def find_device(run: RunDescription, notes: list[str]) -> Device:
    """Return the device that ``run.backend`` names; of a list, or of what ``auto`` stands for, the first that works.

    A backend that cannot be imported or made, that lacks what it needs, or has no such device is passed over.

    Args:
        run: The run.
        notes: Gets a sentence for each that was passed over. What ``auto`` passes over because this machine does not
            have it is not worth one.

    Raises:
        RengaPluginError: What is demanded, or all that is wished for, cannot be used.
        SettingsError: There is no such device.
    """
    origin = run.where("run.backend")
    if isinstance(run.backend, str) and run.backend != AUTO:
        try:
            return get_device(run.backend, origin=origin)
        except ValueError as error:  # there is no such device
            raise SettingsError(f"run.backend (from {origin}): {error}") from error
    backends = registry(ARRAY_BACKEND)
    wishes = run.backend if isinstance(run.backend, tuple) else backends.automatic()
    skipped = []
    for wish in wishes:
        try:
            return get_device(wish, origin=origin)
        except AmbiguousProvider:
            raise  # to pass over it would leave the choice to what happens to be installed
        except (RengaPluginError, ValueError) as error:
            skipped.append((wish, getattr(error, "reason", str(error))))
            if run.backend != AUTO or not isinstance(error, ProviderUnavailable):
                notes.append(f"without {wish}: {skipped[-1][1]}")
    raise messages.none_usable(ARRAY_BACKEND, wishes, origin, skipped)
