"""``chainer.function_node``: `FunctionNode` as programs of Chainer's derive from it."""

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
    """The metaclass of `FunctionNode`: Renga's own functions are instances of it, too."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            cls is FunctionNode and isinstance(instance, renga_core.graph.FunctionNode)
        )

    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) or (
            cls is FunctionNode and issubclass(subclass, renga_core.graph.FunctionNode)
        )


class FunctionNode(renga_core.graph.FunctionNode, metaclass=_AnyFunctionNode):
    """A differentiable function, applied once, by Chainer's rules.

    Over Renga's it has: `check_type_forward`, asked before `forward`; `forward_cpu` and `forward_gpu`, one of which is
    called where `forward` is not defined; `backward_accumulate`; a `backward` that may return a Variable instead of a
    tuple; `outputs` and `output_data`. Renga's own functions count as instances.
    """

    lazy_grad_sum = False
    is_elementwise = False
    chainerx_device = None
    _is_chainerx_fallback_mode = False
    outputs: tuple[Callable[[], VariableNode | None], ...] | None = None
    """For each output what returns its node, or None if the Variable is gone."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "backward" in cls.__dict__:
            cls.backward = _in_a_tuple(cls.__dict__["backward"])  # type: ignore[method-assign]  # the same, checked
        if "forward" in cls.__dict__:
            cls.forward = _with_absent(cls.__dict__["forward"])  # type: ignore[method-assign]  # the same, with None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse.

        Raises:
            RuntimeError: Always: it is `apply` that is meant.
        """
        raise RuntimeError(
            f"A function class object ({type(self).__name__}) which is derived from chainer.FunctionNode has been "
            "called as if it were a callable. Use apply() method instead."
        )

    def apply(self, inputs: Sequence[Variable | Array]) -> tuple[Variable, ...]:
        """Check the types, then as Renga's. An input may be None; an output that `forward` gave as None has no array.

        Raises:
            InvalidType: `check_type_forward` refuses them.
        """
        if getattr(config, "type_check", True):
            check_types(self, tuple([x.array if isinstance(x, Variable) else x for x in inputs]))
        made = super().apply([_ABSENT if x is None else x for x in inputs])
        made = tuple([Variable(None) if y.array is _ABSENT else y for y in made])
        self._output_count = len(made)
        self.outputs = tuple([_node_of(weakref.ref(y)) for y in made])
        return made

    def check_type_forward(self, in_types: Any) -> None:
        """Refuse inputs by `chainer.utils.type_check`. Nothing, unless overridden."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """`forward_gpu` for CuPy's arrays, `forward_cpu` for others."""
        on_gpu = any(isinstance(x, cuda.ndarray) for x in inputs)
        return self.forward_gpu(inputs) if on_gpu else self.forward_cpu(inputs)

    @property
    def saved_inputs(self) -> tuple[Array | None, ...]:
        """The retained inputs; None for one that was None."""
        return tuple([None if x is _ABSENT else x for x in super().saved_inputs])

    def get_retained_inputs(self) -> tuple[Any, ...]:
        """The retained inputs as Variables; None for one that was None."""
        return tuple([None if x is None or x.array is _ABSENT else x for x in super().get_retained_inputs()])

    def forward_cpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs of NumPy's arrays."""
        raise NotImplementedError(f"{type(self).__name__} defines neither forward(inputs) nor forward_cpu(inputs)")

    def forward_gpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs of CuPy's arrays."""
        raise NotImplementedError(f"{type(self).__name__} defines neither forward(inputs) nor forward_gpu(inputs)")

    def forward_chainerx(self, inputs: tuple[Array, ...]) -> Any:
        """Never called."""
        raise NotImplementedError("there is no ChainerX")

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> Sequence[Variable | None]:
        """`backward_accumulate` where that is defined; otherwise no gradients."""
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
        """`backward`, added to `grad_inputs`."""
        gxs = _for_targets(self, target_input_indexes, self.backward(target_input_indexes, grad_outputs))
        return tuple(
            [
                before if gx is None else gx if before is None else gx + before
                for gx, before in zip(gxs, grad_inputs, strict=True)
            ]
        )

    @property
    def output_data(self) -> tuple[Array | None, ...]:
        """The retained outputs at their places among all; None for the others.

        Raises:
            RuntimeError: None was retained, or they are gone.
        """
        if len(self._saved_outputs) != len(self._output_indexes):
            raise RuntimeError("retained output data is gone")
        data: list[Array | None] = [None] * self._output_count
        for i, y in zip(self._output_indexes, self._saved_outputs, strict=True):
            data[i] = y
        return tuple(data)

    def unchain(self) -> None:
        """Cut this function out of the graph, on both sides."""
        for output in self.outputs or ():
            node = output()
            if node is not None:
                node.unchain()
        super().unchain()

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Like Renga's.

        Raises:
            TypeError: It is not a FunctionHook.
            KeyError: There is one of that name already.
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
"""Stands in the graph for an input or output that is None."""


def _with_absent(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A method `forward` that gets None for inputs that are absent, and may return it for outputs."""

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
    """A method `backward`; a Variable that it returns comes in a tuple."""

    @functools.wraps(backward)
    def checked(self: FunctionNode, *args: Any) -> Any:
        gxs = backward(self, *args)
        return (gxs,) if isinstance(gxs, Variable) else gxs

    return checked


def _for_targets(function: FunctionNode, targets: tuple[int, ...], gxs: Any) -> Sequence[Any]:
    """What `backward` returned, one for each target."""
    if len(gxs) == len(targets):
        return list(gxs)
    return [gxs[i] for i in targets] if len(gxs) == len(function.inputs) else list(gxs)
