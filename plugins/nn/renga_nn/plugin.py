"""What this package offers to Renga: functions, links and models. The tables are in `renga_nn.offers`."""

from renga_core.plugin import Provider, hookimpl
from renga_nn.offers.functions import FUNCTIONS
from renga_nn.offers.links import LINKS
from renga_nn.offers.models import MODELS


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
