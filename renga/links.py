"""Layers with parameters: `renga_nn.links`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.kinds import LINK
from renga_nn.links import *
from renga_nn.links import __all__ as __all__

__getattr__ = registered(LINK, __name__, __all__)
