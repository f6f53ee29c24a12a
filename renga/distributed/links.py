"""Links that communicate: `renga_distributed.links`."""

from renga_distributed.links import *
from renga_distributed.links import __all__ as __all__
