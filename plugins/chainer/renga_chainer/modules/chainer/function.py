"""``chainer.function``: functions in the style of Chainer 1, on arrays, without second derivatives."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Sequence
from typing import Any

from renga_chainer.backend import get_device_from_array
from renga_chainer.modules.chainer.backends import cuda
from renga_chainer.modules.chainer.function_node import FunctionNode
from renga_core.backend import Array
from renga_core.configuration import config
from renga_core.graph import FunctionHook, Variable, VariableNode
from renga_core.graph import force_backprop_mode as force_backprop_mode
from renga_core.graph import no_backprop_mode as no_backprop_mode

__all__ = ["Function", "FunctionAdapter", "FunctionHook", "force_backprop_mode", "no_backprop_mode"]


class FunctionAdapter(FunctionNode):
    """The graph node of a `Function`.

    Before `apply` the function refers to the node; afterwards the node refers to the function. So there is no cycle.

    Args:
        function: The function.
    """

    def __init__(self, function: Function) -> None:
        super().__init__()
        self._function: Function | None = None
        self._weak_function = weakref.ref(function)
        function._owned_node = self

    @property
    def function(self) -> Function:
        """The function."""
        function = self._function or self._weak_function()
        assert function is not None, "a function outlives its node before it is applied"
        return function

    @property
    def label(self) -> str:
        """Call the function's."""
        return self.function.label

    @property
    def _impl_name(self) -> str:
        return type(self.function).__name__

    def check_type_forward(self, in_types: Any) -> None:
        """Call the function's."""
        self.function.check_type_forward(in_types)

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Call the function's. All inputs are retained unless it says otherwise."""
        self.retain_inputs(range(len(inputs)))
        return self.function.forward(inputs)

    def backward_arrays(
        self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Array | None]
    ) -> Sequence[Array | None]:
        """Call the function's `backward`, with None for inputs that were not retained."""
        kept = dict(zip(self._input_indexes, self.saved_inputs, strict=True))
        inputs = tuple([kept.get(i) for i in range(len(self.inputs))])
        gys = tuple(grad_outputs)
        with get_device_from_array(*inputs, *gys).use():
            gxs = self.function.backward(inputs, gys)
        if len(gxs) != len(self.inputs):
            raise ValueError(
                f"the backward of {self.label} returned {len(gxs)} gradients for {len(self.inputs)} inputs"
            )
        return [gxs[i] for i in target_input_indexes]

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> Sequence[Variable | None]:
        """Like `backward_arrays`. The results raise an error when differentiated."""
        gxs = self.backward_arrays(target_input_indexes, [None if g is None else g.array for g in grad_outputs])
        if not config.enable_backprop:
            return [None if gx is None else Variable(gx, requires_grad=False) for gx in gxs]
        # The results depend on these, so that differentiating with respect to earlier variables fails, too.
        given = [g for g in grad_outputs if g is not None]
        behind = [Variable._make(given[0].array, node, True) for node in self.inputs if node.requires_grad]
        guard = _NotDifferentiable
        return [None if gx is None else guard(self.label).apply((Variable(gx), *behind, *given))[0] for gx in gxs]


class _NotDifferentiable(FunctionNode):
    """Identity of its first input, a gradient that cannot be differentiated; the other inputs are its sources.

    Args:
        of: Label of the function whose backward computed the gradient.
    """

    def __init__(self, of: str) -> None:
        self._of = of

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        return inputs[:1]

    def backward(self, *_: Any) -> Any:
        raise RuntimeError(
            f"cannot twice-differentiate an old style Function {self._of!r}: its backward computes with arrays. "
            "Write it as a FunctionNode"
        )


class Function:
    """A function in the style of Chainer 1.

    A subclass defines `forward` and `backward` on tuples of arrays, or `forward_cpu`, `forward_gpu`, `backward_cpu` and
    `backward_gpu`. An instance can be called once.
    """

    _node: weakref.ref[FunctionAdapter] | None = None
    _owned_node: FunctionAdapter | None = None

    def __call__(self, *inputs: Variable | Array) -> Any:
        """Compute the outputs and extend the graph.

        Returns:
            A Variable; a tuple of Variables if `forward` returns several arrays.
        """
        node = self.node
        if node._order >= 0:  # called again while the first graph exists
            node = FunctionAdapter(self)
        node._function = self
        self._node = weakref.ref(node)
        self._owned_node = None
        made = node.apply(inputs)
        return made[0] if len(made) == 1 else made

    @property
    def node(self) -> FunctionAdapter:
        """The graph node of this function, created at first use."""
        found = (None if self._node is None else self._node()) or self._owned_node
        return FunctionAdapter(self) if found is None else found

    @property
    def inputs(self) -> tuple[VariableNode, ...]:
        """Nodes of the inputs."""
        return self.node.inputs

    @property
    def outputs(self) -> Any:
        """For each output, a callable that returns its node."""
        return self.node.outputs

    @property
    def output_data(self) -> tuple[Array | None, ...]:
        """The retained outputs at their positions; None for all others."""
        return self.node.output_data

    @property
    def local_function_hooks(self) -> dict[str, FunctionHook]:
        """Hooks of this function only."""
        return self.node._hooks or {}

    @property
    def label(self) -> str:
        """Name in drawings of the graph; by default the name of the class."""
        return type(self).__name__

    @property
    def rank(self) -> int:
        """Length of the longest path from a leaf to this function."""
        return self.node.rank

    @property
    def stack(self) -> Any:
        """Place of the call; recorded in debug mode only."""
        return self.node.stack

    def check_type_forward(self, in_types: Any) -> None:
        """Check inputs by `chainer.utils.type_check`. The default checks nothing."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs: `forward_gpu` for CuPy arrays, else `forward_cpu`."""
        return self.forward_gpu(inputs) if _on_gpu(inputs) else self.forward_cpu(inputs)

    def forward_cpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs from NumPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} defines neither forward(inputs) nor forward_cpu(inputs)")

    def forward_gpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs from CuPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} defines neither forward(inputs) nor forward_gpu(inputs)")

    def backward(
        self, inputs: tuple[Array | None, ...], grad_outputs: tuple[Array | None, ...]
    ) -> tuple[Array | None, ...]:
        """Compute the gradients: `backward_gpu` for CuPy arrays, else `backward_cpu`."""
        on_gpu = _on_gpu(inputs + grad_outputs)
        return self.backward_gpu(inputs, grad_outputs) if on_gpu else self.backward_cpu(inputs, grad_outputs)

    def backward_cpu(
        self, inputs: tuple[Array | None, ...], grad_outputs: tuple[Array | None, ...]
    ) -> tuple[Array | None, ...]:
        """Return no gradients, unless overridden."""
        return (None,) * len(inputs)

    def backward_gpu(
        self, inputs: tuple[Array | None, ...], grad_outputs: tuple[Array | None, ...]
    ) -> tuple[Array | None, ...]:
        """Return no gradients, unless overridden."""
        return (None,) * len(inputs)

    def retain_inputs(self, indexes: Sequence[int]) -> None:
        """Keep only these inputs for backward. Call it in `forward`."""
        self.node.retain_inputs(indexes)

    def retain_outputs(self, indexes: Sequence[int], retain_after_backward: bool = False) -> None:
        """Keep these outputs for backward, in `output_data`. Call it in `forward`."""
        if retain_after_backward:
            warnings.warn("retain_after_backward option has no effect", DeprecationWarning, stacklevel=2)
        self.node.retain_outputs(indexes)

    def unchain(self) -> None:
        """Remove this function from the graph."""
        self.node.unchain()

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Call `hook` before and after forward and backward of this function."""
        self.node.add_hook(hook, name)

    def delete_hook(self, name: str) -> None:
        """Remove a hook."""
        self.node.delete_hook(name)


def _on_gpu(arrays: Sequence[Any]) -> bool:
    return any(isinstance(x, cuda.ndarray) for x in arrays)
