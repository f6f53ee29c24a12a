"""The plugin system: how parts of Renga are found, chosen and replaced.

**To use** what plugins provide: `registry(OPTIMIZER).load("adam")`. It works the same way for every kind. `registry`
describes how names are chosen, `errors` the errors.

**To write** a plugin: write a module with functions marked `hookimpl` that return descriptions (`Provider`, `Kernel`),
and name it in an entry point of group ``renga``. `hookspecs` has the hooks, each with an example to paste; `events` has
the events. Such a module imports only this package, which itself imports nothing heavy.

The parts, in the order in which they are used:

- `kind`: `Kind`, the description of a kind of providers. Core's kinds are in `renga_core.kinds`. `provider`: the
  description of one provider.
- `entry_points`: finds installed plugins. `discovery`: decides which may be imported. `requirements`: checks
  ``Requires-Dist``.
- `loading`: imports the plugin modules and checks their hooks.
- `offers`: calls a kind's hooks, checks whether providers can be used, and imports them.
- `registry`, `selection`, `preferences`: choose a provider by name, by a list of names, or by the settings.
  `auto_order`: the candidates of ``auto``, in order.
- `messages`: error messages. `state`: ready, unavailable, ambiguous, incompatible, invalid, broken, disabled.
- `manager`: keeps all this for the process.
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
