"""States of plugins and providers, with reason and next step; the classes `Plugin` and `Problem`."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from .entry_points import normalized
from .hookimpl import PROJECT

__all__ = ["READY", "Plugin", "Problem", "State", "Status", "describe_error", "describe_value", "pass_interrupt"]


def pass_interrupt(error: BaseException) -> None:
    """Raise KeyboardInterrupt again, because the user wants to stop.

    For guards around a plugin's code, ``except BaseException``. All other exceptions, SystemExit included, must not
    affect other plugins.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error


class State(enum.StrEnum):
    """The states of a plugin or a provider."""

    READY = "ready"
    UNAVAILABLE = "unavailable"
    """A required module is not installed, or the probe says that this machine cannot run it."""
    AMBIGUOUS = "ambiguous"
    """Several plugins offer its name, and no preference is set."""
    INCOMPATIBLE = "incompatible"
    """It was made for another version of Renga, or another revision of the kind's interface."""
    INVALID = "invalid"
    """Its description is wrong."""
    BROKEN = "broken"
    """Its code raised an error."""
    DISABLED = "disabled"
    """A setting disables it."""


class Status(NamedTuple):
    """A state, its reason (a clause without full stop), and the next step (a sentence)."""

    state: State
    reason: str = ""
    next_step: str = ""

    def __str__(self) -> str:
        return f"{self.state}: {self.reason}" if self.reason else str(self.state)


READY = Status(State.READY)


@dataclass(eq=False)
class Plugin:
    """An entry point of group ``renga``: one plugin.

    Attributes:
        name: The entry point's name; ``name@distribution`` if several distributions use it. Renga's own plugins always
            have the plain name.
        names: The names that select it: its name; and the entry point's name, unless one of Renga's own plugins has it.
        entry_point: The entry point's original name.
        distribution: The distribution that contains it.
        version: The distribution's version.
        target: The module in the entry point, ``acme.plugin``.
        importer: Imports and returns the target.
        status: State, reason and next step.
        error: The error that loading raised.
        module: The target, once imported.
    """

    name: str
    names: tuple[str, ...]
    entry_point: str
    distribution: str
    version: str
    target: str
    importer: Callable[[], object] = field(repr=False)
    status: Status = READY
    error: BaseException | None = None
    module: object = field(default=None, repr=False)

    @property
    def shipped(self) -> bool:
        """Whether it ships with Renga. Such plugins have no privilege, except that their names keep their meaning."""
        return normalized(self.distribution) == PROJECT

    @property
    def origin(self) -> str:
        """The distribution with its version: ``acme-cupy 2.0``."""
        return f"{self.distribution} {self.version}".strip()

    @property
    def blame(self) -> str:
        """The next step for a faulty plugin."""
        return f"Report it to {self.distribution}, or disable it: RENGA_PLUGINS_DISABLE={self.name}"

    def __str__(self) -> str:
        return f"plugin '{self.name}' ({self.origin})"


@dataclass(frozen=True, eq=False)
class Problem:
    """A problem of a part of a plugin that otherwise works: a misspelt hook, or a hook that raised an error.

    Attributes:
        plugin: The plugin.
        hook: Name of the faulty function.
        kind: The kind of the hook; "" if it has none.
        status: State, reason and next step.
        error: The error, if one was raised.
    """

    plugin: Plugin
    hook: str
    kind: str
    status: Status
    error: BaseException | None = None

    def __str__(self) -> str:
        return f"{self.plugin}, hook '{self.hook}'"


def describe_error(error: BaseException) -> str:
    """Describe an error in one line: ``RuntimeError: no licence``."""
    try:
        text = str(error).strip().partition("\n")[0]
    except BaseException as another:  # its __str__ may also come from a plugin
        pass_interrupt(another)
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def describe_value(value: object) -> str:
    """Describe what a plugin returned: ``'adam'``, ``None``, ``a list``. Its own ``__repr__`` is not called."""
    return repr(value) if value is None or type(value) in (str, int, float, bool) else f"a {type(value).__name__}"
