"""Data sets: `renga_data.datasets`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.kinds import DATASET
from renga_data.datasets import *
from renga_data.datasets import __all__ as __all__

__getattr__ = registered(DATASET, __name__, __all__)
