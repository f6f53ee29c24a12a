"""The base of functions that work element by element on one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import FunctionNode
from renga_core.kernel import Implementation, Operation
from renga_nn.functions.checks import require_floating, wide

__all__ = ["Elementwise"]


class Elementwise(FunctionNode):
    """``y = f(x)``, element by element. A subclass defines `compute`, and the gradient as a function of x or y.

    If a fused kernel is worthwhile, the subclass names an operation: ``class ELU(Elementwise, operation="elu")``. The
    class itself is the reference: forward is called with ``x, *parameters``, backward with ``kept, gy, *parameters``.
    The samples for the kit of kernels are the function of this name in `renga_nn.functions.example_arguments`.

    Attributes:
        keeps_output: Keep y for backward, not x. Set it if the gradient can be computed from y, which the next function
            often keeps too.
        operation: The named operation; None if there is none.
        parameters: Numbers on which the function depends, in the order of the arguments of ``__init__``.
    """

    fresh_gradients = True
    keeps_output: ClassVar[bool] = False
    operation: ClassVar[Operation | None] = None
    parameters: tuple[float, ...] = ()
    _kernel: Implementation | None = None
    # Whether x has a foreign dtype (bfloat16), which the array library may not preserve.
    _foreign: bool = False

    def __init_subclass__(cls, operation: str = "") -> None:
        super().__init_subclass__()
        if operation:

            def forward(x: Array, *parameters: float) -> Array:
                return cls(*parameters).compute(get_array_module(x), x)

            def backward(kept: Array, gy: Array, *parameters: float) -> Array:
                return cls(*parameters).array_gradient(get_array_module(kept), kept, gy)

            samples = f"renga_nn.functions.example_arguments:{operation}"
            cls.operation = Operation(operation, forward, backward, samples=samples)

    def compute(self, xp: Any, x: Array) -> Array:
        """The function on an array; `xp` is the array's namespace."""
        raise NotImplementedError

    def gradient(self, kept: Any, gy: Any) -> Any:
        """``f'(x) * gy`` on Variables, differentiable. If it is pure arithmetic, it is also used on arrays."""
        raise NotImplementedError

    def array_gradient(self, xp: Any, kept: Array, gy: Array) -> Array:
        """The same on arrays, in a new array; default: `gradient`."""
        return self.gradient(kept, gy)

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute, keeping one array."""
        (x,) = inputs
        if x is None or x.dtype.kind != "f":
            require_floating(self.function_name, "x", x)
            self._foreign = True
        if self.keeps_output:
            self.retain_outputs((0,))
        else:
            self.retain_inputs((0,))
        backend, operation = get_backend(x), self.operation
        if operation is not None:
            chosen = operation.sole(backend) or operation.select(backend, x, *self.parameters)
            # The reference is this class, so no new instance is needed.
            if chosen is not operation.reference:
                self._kernel = chosen
                return (chosen.forward(x, *self.parameters),)
        if self._foreign:
            return (self.compute(backend.xp, wide(x)).astype(x.dtype),)
        return (self.compute(backend.xp, x),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient on arrays."""
        (kept,) = self.saved_outputs or self.saved_inputs
        if self._kernel is not None:
            assert self._kernel.backward is not None
            return (self._kernel.backward(kept, grad_outputs[0], *self.parameters),)
        if self._foreign:
            gx = self.array_gradient(get_backend(kept).xp, wide(kept), wide(grad_outputs[0]))
            return (gx.astype(kept.dtype),)
        return (self.array_gradient(get_backend(kept).xp, kept, grad_outputs[0]),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The gradient on Variables."""
        (kept,) = self.get_retained_outputs() or self.get_retained_inputs()
        return (self.gradient(kept, grad_outputs[0]),)
