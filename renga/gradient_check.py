"""Comparing gradients with numerical ones: `renga_core.testing.gradient_check`."""

from renga_core.testing.gradient_check import (
    NondifferentiableError,
    assert_allclose,
    check_backward,
    check_double_backward,
    numerical_grad,
)

__all__ = ["NondifferentiableError", "assert_allclose", "check_backward", "check_double_backward", "numerical_grad"]
