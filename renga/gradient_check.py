"""Comparing gradients with numerical ones: `renga_core.testing.gradient_check`."""

from renga_core.testing.gradient_check import *
from renga_core.testing.gradient_check import __all__ as __all__
