"""Comparing gradients with numerical ones: `renga_testing.gradient_check`."""

from renga_testing.gradient_check import *
from renga_testing.gradient_check import __all__ as __all__
