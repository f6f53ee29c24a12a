"""Communication through which gradients flow: `renga_distributed.functions`."""

from renga_distributed.functions import *
from renga_distributed.functions import __all__ as __all__
