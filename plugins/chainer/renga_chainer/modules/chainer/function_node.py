"""``chainer.function_node``: `FunctionNode`, the base class for functions of Chainer programs."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import renga_core.graph
from renga_chainer.modules.chainer.backends import cuda
from renga_chainer.modules.chainer.utils.type_check import check_types
from renga_core.backend import Array
from renga_core.configuration import config
from renga_core.graph import FunctionHook, Variable, VariableNode
from renga_core.graph import grad as grad

__all__ = ["FunctionNode", "grad"]


class _AnyFunctionNode(type):
    """The metaclass of `FunctionNode`: ``isinstance`` is true for Renga's own functions, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            cls is FunctionNode and isinstance(instance, renga_core.graph.FunctionNode)
        )

    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) or (
            cls is FunctionNode and issubclass(subclass, renga_core.graph.FunctionNode)
        )


class FunctionNode(renga_core.graph.FunctionNode, metaclass=_AnyFunctionNode):
    """A differentiable function with Chainer's interface. Each instance is applied once.

    It adds to Renga's: `check_type_forward`, called before `forward`; `forward_cpu` and `forward_gpu`, used if
    `forward` is not defined; `backward_accumulate`; a `backward` that may return a Variable instead of a tuple;
    `outputs` and `output_data`. Renga's own functions count as instances.
    """

    lazy_grad_sum = False
    is_elementwise = False
    chainerx_device = None
    _is_chainerx_fallback_mode = False
    outputs: tuple[Callable[[], VariableNode | None], ...] | None = None
    """For each output, a callable that returns its node, or None if the Variable no longer exists."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "backward" in cls.__dict__:
            cls.backward = _in_a_tuple(cls.__dict__["backward"])  # type: ignore[method-assign]  # the same, checked
        if "forward" in cls.__dict__:
            cls.forward = _with_absent(cls.__dict__["forward"])  # type: ignore[method-assign]  # the same, with None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise an error.

        Raises:
            RuntimeError: Always: use `apply` instead.
        """
        raise RuntimeError(
            f"A function class object ({type(self).__name__}) which is derived from chainer.FunctionNode has been "
            "called as if it were a callable. Use apply() method instead."
        )

    def apply(self, inputs: Sequence[Variable | Array]) -> tuple[Variable, ...]:
        """Check the types, then apply as in Renga. Inputs and outputs may be None.

        Raises:
            InvalidType: `check_type_forward` raised it.
        """
        if getattr(config, "type_check", True):
            check_types(self, tuple([x.array if isinstance(x, Variable) else x for x in inputs]))
        made = super().apply([_ABSENT if x is None else x for x in inputs])
        made = tuple([Variable(None) if y.array is _ABSENT else y for y in made])
        self._output_count = len(made)
        self.outputs = tuple([_node_of(weakref.ref(y)) for y in made])
        return made

    def check_type_forward(self, in_types: Any) -> None:
        """Check inputs by `chainer.utils.type_check`. The default checks nothing."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs: `forward_gpu` for CuPy arrays, else `forward_cpu`."""
        on_gpu = any(isinstance(x, cuda.ndarray) for x in inputs)
        return self.forward_gpu(inputs) if on_gpu else self.forward_cpu(inputs)

    @property
    def saved_inputs(self) -> tuple[Array | None, ...]:
        """Return the retained inputs; None for inputs that were None."""
        return tuple([None if x is _ABSENT else x for x in super().saved_inputs])

    def get_retained_inputs(self) -> tuple[Any, ...]:
        """Return the retained inputs as Variables; None for inputs that were None."""
        return tuple([None if x is None or x.array is _ABSENT else x for x in super().get_retained_inputs()])

    def forward_cpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs from NumPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} defines neither forward(inputs) nor forward_cpu(inputs)")

    def forward_gpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs from CuPy arrays."""
        raise NotImplementedError(f"{type(self).__name__} defines neither forward(inputs) nor forward_gpu(inputs)")

    def forward_chainerx(self, inputs: tuple[Array, ...]) -> Any:
        """Never called."""
        raise NotImplementedError("there is no ChainerX")

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> Sequence[Variable | None]:
        """Call `backward_accumulate` if it is defined; otherwise return no gradients."""
        nothing = (None,) * len(target_input_indexes)
        if type(self).backward_accumulate is not FunctionNode.backward_accumulate:
            return self.backward_accumulate(target_input_indexes, grad_outputs, nothing)
        return nothing

    def backward_accumulate(
        self,
        target_input_indexes: tuple[int, ...],
        grad_outputs: tuple[Variable | None, ...],
        grad_inputs: tuple[Variable | None, ...],
    ) -> tuple[Variable | None, ...]:
        """Return the results of `backward`, added to `grad_inputs`."""
        gxs = _for_targets(self, target_input_indexes, self.backward(target_input_indexes, grad_outputs))
        return tuple(
            [
                before if gx is None else gx if before is None else gx + before
                for gx, before in zip(gxs, grad_inputs, strict=True)
            ]
        )

    @property
    def output_data(self) -> tuple[Array | None, ...]:
        """The retained outputs at their positions; None for all others.

        Raises:
            RuntimeError: No output was retained, or they have been freed.
        """
        if len(self._saved_outputs) != len(self._output_indexes):
            raise RuntimeError("retained output data is gone")
        data: list[Array | None] = [None] * self._output_count
        for i, y in zip(self._output_indexes, self._saved_outputs, strict=True):
            data[i] = y
        return tuple(data)

    def unchain(self) -> None:
        """Remove this function from the graph, on both sides."""
        for output in self.outputs or ():
            node = output()
            if node is not None:
                node.unchain()
        super().unchain()

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Like Renga's.

        Raises:
            TypeError: It is not a FunctionHook.
            KeyError: The function already has a hook of that name.
        """
        if not isinstance(hook, FunctionHook):
            raise TypeError("Hook must be of type FunctionHook")
        super().add_hook(hook, name)

    @property
    def _impl_name(self) -> str:
        return type(self).__name__


def _node_of(variable: weakref.ref[Variable]) -> Callable[[], VariableNode | None]:
    def node() -> VariableNode | None:
        alive = variable()
        return None if alive is None else alive.node

    return node


_ABSENT: Any = np.empty(0, np.float32)
"""Placeholder in the graph for an input or output that is None."""


def _with_absent(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method `forward` that receives None for absent inputs, and may return None for outputs."""

    @functools.wraps(forward)
    def computed(self: FunctionNode, inputs: tuple[Any, ...]) -> Any:
        if any(x is _ABSENT for x in inputs):
            inputs = tuple([None if x is _ABSENT else x for x in inputs])
        outputs = forward(self, inputs)
        if isinstance(outputs, tuple) and any(y is None for y in outputs):
            return tuple([_ABSENT if y is None else y for y in outputs])
        return outputs

    return computed


def _in_a_tuple(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method `backward`, so that a single Variable becomes a tuple."""

    @functools.wraps(backward)
    def checked(self: FunctionNode, *args: Any) -> Any:
        gxs = backward(self, *args)
        return (gxs,) if isinstance(gxs, Variable) else gxs

    return checked


def _for_targets(function: FunctionNode, targets: tuple[int, ...], gxs: Any) -> Sequence[Any]:
    """Return the results of `backward`, one for each target."""
    if len(gxs) == len(targets):
        return list(gxs)
    return [gxs[i] for i in targets] if len(gxs) == len(function.inputs) else list(gxs)
