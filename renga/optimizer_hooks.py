"""Optimizer hooks: `renga_optimizers.hooks`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.kinds import OPTIMIZER_HOOK
from renga_optimizers.hooks import *
from renga_optimizers.hooks import __all__ as __all__

__getattr__ = registered(OPTIMIZER_HOOK, __name__, __all__)
