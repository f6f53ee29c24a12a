"""Plugins: how every part of Renga is found, chosen and replaced.

**To use** what plugins provide: `registry(OPTIMIZER).load("adam")`. The same accessor serves every kind; `registry`
says how names are chosen, `errors` what can go wrong.

**To write** a plugin: a module with functions marked `hookimpl` that return descriptions (`Provider`, `Kernel`), named
by an entry point of group ``renga``. `hookspecs` has the hooks, each with a plugin to paste; `events` the events. Such
a module imports nothing but this package, which in turn imports nothing heavy.

How it works, in the order in which it happens:

- `kind`: what a kind is: a row of data. Core's rows are in `renga_core.kinds`. `provider`: what describes a thing of a
  kind.
- `entry_points`: those that are installed. `discovery`: which may be imported. `requirements`: their ``Requires-Dist``.
- `loading`: importing their thin modules, checking their hooks.
- `offers`: asking what they offer of a kind; looking whether it can be used; importing it.
- `registry`, `selection`, `preferences`: from a name, or a list of wishes, or the settings, to one of these.
  `auto_order`: what ``auto`` stands for, and in which order.
- `messages`: the errors in full. `state`: ready, unavailable, ambiguous, incompatible, invalid, broken, disabled.
- `manager`: what remembers all this.
"""

from .errors import (
    AmbiguousProvider,
    InvalidDescription,
    ProviderFaulty,
    ProviderIncompatible,
    ProviderUnavailable,
    RengaPluginError,
    RengaPluginWarning,
    UnknownProvider,
)
from .hookimpl import hookimpl
from .kind import Kind
from .manager import PluginManager, choices_state, get_manager, using_manager
from .offers import Offer
from .provider import Kernel, Namespace, Provider
from .registry import Registry, registry
from .selection import Candidate, Selection, Skipped
from .state import Plugin, Problem, State, Status

__all__ = [
    "AmbiguousProvider",
    "Candidate",
    "InvalidDescription",
    "Kernel",
    "Kind",
    "Namespace",
    "Offer",
    "Plugin",
    "PluginManager",
    "Problem",
    "Provider",
    "ProviderFaulty",
    "ProviderIncompatible",
    "ProviderUnavailable",
    "Registry",
    "RengaPluginError",
    "RengaPluginWarning",
    "Selection",
    "Skipped",
    "State",
    "Status",
    "UnknownProvider",
    "choices_state",
    "get_manager",
    "hookimpl",
    "registry",
    "using_manager",
]
