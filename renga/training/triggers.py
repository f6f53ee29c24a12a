"""Triggers: `renga_training.triggers`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.kinds import TRIGGER
from renga_training.triggers import *
from renga_training.triggers import __all__ as __all__

__getattr__ = registered(TRIGGER, __name__, __all__)
