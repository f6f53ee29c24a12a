"""Extensions: `renga_training.extensions`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.kinds import EXTENSION
from renga_training.extensions import *
from renga_training.extensions import __all__ as __all__

__getattr__ = registered(EXTENSION, __name__, __all__)
