# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_testing.gradient_check import NondifferentiableError as NondifferentiableError
from renga_testing.gradient_check import assert_allclose as assert_allclose
from renga_testing.gradient_check import check_backward as check_backward
from renga_testing.gradient_check import check_double_backward as check_double_backward
from renga_testing.gradient_check import numerical_grad as numerical_grad

__all__ = [
    "NondifferentiableError",
    "assert_allclose",
    "check_backward",
    "check_double_backward",
    "numerical_grad",
]
