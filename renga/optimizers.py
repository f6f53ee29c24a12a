"""Optimizers: `renga_optimizers`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.kinds import OPTIMIZER
from renga_optimizers import *
from renga_optimizers import __all__ as __all__

__getattr__ = registered(OPTIMIZER, __name__, __all__)
