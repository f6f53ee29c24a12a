"""Hooks of links: `renga_nn.link_hooks`."""

from renga_nn.link_hooks import *
from renga_nn.link_hooks import __all__ as __all__
