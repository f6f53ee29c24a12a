"""Attributes of Renga's own functions. Functions of programs derive from `modules.chainer.function_node`."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from renga_chainer.patches.labels import NAMES
from renga_core.backend import Array
from renga_core.graph import FunctionHook, FunctionNode, Variable, VariableNode
from renga_core.graph.function_node import next_order

__all__ = ["ADDITIONS"]


def _local_function_hooks(self: FunctionNode) -> dict[str, FunctionHook]:
    """Hooks of this function only, by name."""
    return self._hooks or {}


def _apply_again(self: FunctionNode, inputs: Sequence[Variable | Array]) -> tuple[Variable, ...]:
    """Apply a copy: programs keep a function and apply it several times."""
    again = copy.copy(self)
    again._order = -1
    again.unchain()
    return again.apply(inputs)


def _join_constants(self: FunctionNode, nodes: tuple[VariableNode, ...], ys: tuple[Array, ...]) -> tuple[Variable, ...]:
    """Keep the outputs in the graph even if no input needs a gradient, so that each knows its creator."""
    self.inputs = nodes
    self._order = next_order()
    self._output_count = len(ys)
    outputs = tuple([self._output(i, y) for i, y in enumerate(ys)])
    for y in outputs:
        y.node.requires_grad = y._requires_grad = False
    return outputs


def _impl_name(self: FunctionNode) -> str:
    """Chainer's name of the class."""
    return NAMES.get(type(self), type(self).__name__)


ADDITIONS: list[tuple[Any, str, Any]] = [
    (FunctionNode, "_apply_again", _apply_again),
    (FunctionNode, "_constants", _join_constants),
    (FunctionNode, "local_function_hooks", property(_local_function_hooks)),
    (FunctionNode, "_impl_name", property(_impl_name)),
    (FunctionNode, "lazy_grad_sum", False),
    (FunctionNode, "is_elementwise", False),
    (FunctionNode, "chainerx_device", None),
    (FunctionNode, "_is_chainerx_fallback_mode", False),
]
