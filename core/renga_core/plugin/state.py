"""The states of plugins and providers, each with a reason and a next step; and the plugins themselves."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from .entry_points import normalized
from .hookimpl import PROJECT

__all__ = ["READY", "Plugin", "Problem", "State", "Status", "describe_error", "describe_value", "pass_interrupt"]


def pass_interrupt(error: BaseException) -> None:
    """Raise KeyboardInterrupt again: the user wants to stop.

    For guards around a plugin's code, ``except BaseException``: whatever else it raises, SystemExit and exceptions of
    its own invention included, does no harm to anybody else.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error


class State(enum.StrEnum):
    """What can be said of a plugin or a provider."""

    READY = "ready"
    UNAVAILABLE = "unavailable"
    """A module it needs is not installed, or its probe says that this machine cannot run it."""
    AMBIGUOUS = "ambiguous"
    """Several plugins offer its name, and no preference is set."""
    INCOMPATIBLE = "incompatible"
    """Made for another version of Renga, or another revision of the kind's interface."""
    INVALID = "invalid"
    """It describes itself wrongly."""
    BROKEN = "broken"
    """Its code raised."""
    DISABLED = "disabled"
    """Somebody said so."""


class Status(NamedTuple):
    """A state, why it is so (a clause without full stop), and what to do about it (a sentence)."""

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
        name: The entry point's name; ``name@distribution`` where several distributions use that name. What Renga ships
            keeps it plain.
        names: What it answers to: its name; and the entry point's as it stands, unless Renga ships a plugin of that
            name.
        entry_point: The entry point's name as it stands.
        distribution: Who brings it.
        version: The distribution's version.
        target: What the entry point names, ``acme.plugin``.
        importer: Imports and returns what the entry point names.
        status: Its state, with reason and next step.
        error: What was raised when it was loaded.
        module: What the entry point names, once imported.
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
        """Whether it comes with Renga. All that follows: a name that Renga ships keeps its meaning."""
        return normalized(self.distribution) == PROJECT

    @property
    def origin(self) -> str:
        """Who brings it, with version: ``acme-cupy 2.0``."""
        return f"{self.distribution} {self.version}".strip()

    @property
    def blame(self) -> str:
        """What to do about a fault of the plugin."""
        return f"Report it to {self.distribution}, or disable it: RENGA_PLUGINS_DISABLE={self.name}"

    def __str__(self) -> str:
        return f"plugin '{self.name}' ({self.origin})"


@dataclass(frozen=True, eq=False)
class Problem:
    """Something wrong with a part of a plugin that otherwise works: a misspelt hook, a hook that raised.

    Attributes:
        plugin: Whose part.
        hook: Name of the function that is wrong.
        kind: The kind that the hook is of; "" where it is of none.
        status: What is wrong, why, and what next.
        error: What was raised, if anything was.
    """

    plugin: Plugin
    hook: str
    kind: str
    status: Status
    error: BaseException | None = None

    def __str__(self) -> str:
        return f"{self.plugin}, hook '{self.hook}'"


def describe_error(error: BaseException) -> str:
    """Say what was raised in one line: ``RuntimeError: no licence``."""
    try:
        text = str(error).strip().partition("\n")[0]
    except BaseException as another:  # it comes from a plugin, and so does its __str__
        pass_interrupt(another)
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def describe_value(value: object) -> str:
    """Say what a plugin returned: ``'adam'``, ``None``, ``a list``. Its own ``__repr__`` is not trusted."""
    return repr(value) if value is None or type(value) in (str, int, float, bool) else f"a {type(value).__name__}"
