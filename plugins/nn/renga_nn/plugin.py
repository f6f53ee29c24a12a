"""What this package offers: functions, links, models and more. The tables are in `renga_nn.providers`."""

from renga_core.plugin import Namespace, Provider, hookimpl
from renga_nn.providers.functions import FUNCTIONS
from renga_nn.providers.links import LINKS
from renga_nn.providers.models import MODELS
from renga_nn.providers.namespaces import NAMESPACES


@hookimpl
def renga_functions() -> list[Provider]:
    """The functions of `renga_nn.functions`."""
    return FUNCTIONS


@hookimpl
def renga_links() -> list[Provider]:
    """The links of `renga_nn.links`."""
    return LINKS


@hookimpl
def renga_models() -> list[Provider]:
    """The models of `renga_nn.models`."""
    return MODELS


@hookimpl
def renga_function_hooks() -> list[Provider]:
    """The hooks of `renga_nn.function_hooks`."""
    return [
        Provider("print", "renga_nn.function_hooks.printing:PrintHook", 1, "Prints the inputs of each function"),
        Provider("profile", "renga_nn.function_hooks.profile:ProfileHook", 1, "Profiles functions: a table, a trace"),
        Provider("timer", "renga_nn.function_hooks.timer:TimerHook", 1, "Measures each function"),
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """Initializers, distributions, link hooks, sparse matrices."""
    return NAMESPACES
