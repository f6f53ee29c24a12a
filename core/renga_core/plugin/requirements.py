"""Whether a distribution was made for the installed version of Renga."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .entry_points import normalized
from .state import READY, State, Status

__all__ = ["check_requirements"]

_REQUIREMENT = r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^]]*\])?\s*(.*)"


def check_requirements(distribution: str, requires: Iterable[str], installed: str | None) -> Status:
    """Compare a distribution's requirements on Renga with the installed version.

    Args:
        distribution: Name of the distribution, for messages.
        requires: Its ``Requires-Dist`` lines, ``renga>=0.1; python_version >= "3.11"``.
        installed: Renga's version; None if it is not installed as a distribution.
    """
    for line in requires:
        found = re.fullmatch(_REQUIREMENT, line, re.DOTALL)
        if found is None or normalized(found[1]) != "renga" or not found[3]:
            continue
        status = _check(distribution, line, installed)
        if status.state is not State.READY:
            return status
    return READY


def _check(distribution: str, line: str, installed: str | None) -> Status:
    try:
        # Only plugins of third parties that restrict the version need `packaging`.
        from packaging.requirements import InvalidRequirement, Requirement
        from packaging.version import Version
    except ModuleNotFoundError:
        reason = f"its requirement {line!r} cannot be checked without module 'packaging'"
        return Status(State.INCOMPATIBLE, reason, "pip install packaging")
    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        return Status(State.INVALID, f"its requirement {line!r} is invalid", f"Correct the metadata of {distribution}.")
    if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
        return READY
    if installed is None:
        reason = f"it requires renga{requirement.specifier}, and no distribution 'renga' is installed"
        return Status(State.INCOMPATIBLE, reason, f"Install renga{requirement.specifier}.")
    unmet = [part for part in requirement.specifier if not part.contains(installed, prereleases=True)]
    if not unmet:
        return READY
    reason = f"it requires renga{requirement.specifier}, and renga {installed} is installed"
    if any(Version(part.version.removesuffix(".*")) > Version(installed) for part in unmet):
        step = f"Upgrade renga, or install an older {distribution}."
    else:
        step = f"Upgrade {distribution}: pip install --upgrade {distribution}"
    return Status(State.INCOMPATIBLE, reason, step)
