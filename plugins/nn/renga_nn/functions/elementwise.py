"""The base of functions that work element by element on one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode
from renga_nn.functions.checks import require_floating

__all__ = ["Elementwise"]


class Elementwise(FunctionNode):
    """``y = f(x)``, element by element. A subclass gives `compute`, and the gradient by what was kept: x, or else y.

    Attributes:
        keeps_output: Keep y for backward, not x: where the gradient can be told from y, and the next function is likely
            to keep it too.
    """

    fresh_gradients = True
    keeps_output: ClassVar[bool] = False

    def compute(self, xp: Any, x: Array) -> Array:
        """The function on an array; `xp` is the array's namespace."""
        raise NotImplementedError

    def gradient(self, kept: Any, gy: Any) -> Any:
        """``f'(x) * gy`` on Variables, differentiable. Pure arithmetic holds for arrays as well."""
        raise NotImplementedError

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        """The same on arrays, in a new array; default: `gradient`."""
        return self.gradient(kept, gy)

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute, keeping one array."""
        (x,) = inputs
        require_floating(self.label, "x", x)
        if self.keeps_output:
            self.retain_outputs((0,))
        else:
            self.retain_inputs((0,))
        return (self.compute(get_backend(x).xp, x),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient on arrays."""
        (kept,) = self.saved_outputs or self.saved_inputs
        return (self.array_gradient(get_backend(kept).xp, kept, grad_outputs[0]),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient on Variables."""
        (kept,) = self.get_retained_outputs() or self.get_retained_inputs()
        return (self.gradient(kept, grad_outputs[0]),)
