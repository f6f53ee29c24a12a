"""How long an iteration takes with more devices: `renga_distributed.scale_model`."""

from renga_distributed.scale_model import *
from renga_distributed.scale_model import __all__ as __all__
