"""Initializers of parameters: `renga_nn.initializers`."""

from renga_nn.initializers import *
from renga_nn.initializers import __all__ as __all__
