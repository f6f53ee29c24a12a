"""Comparing gradients with numerical gradients: `renga_testing.gradient_check`."""

from renga.view import view

# Test tools are not a plugin: they cannot be disabled or replaced, and only tests import them.
__getattr__, __dir__ = view(
    __name__,
    {
        "renga_testing.gradient_check": (
            "NondifferentiableError assert_allclose check_backward check_double_backward numerical_grad"
        ),
    },
)
