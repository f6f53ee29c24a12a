"""Differentiable functions: `renga_nn.functions`, and by registered name those of other plugins.

`import renga.functions as F`; the families are told in `renga_nn.functions`.
"""

from renga.third_party import registered
from renga_core.kinds import FUNCTION
from renga_nn.functions import *
from renga_nn.functions import __all__ as __all__

__getattr__ = registered(FUNCTION, __name__, __all__)
