"""What programs read of Renga's own functions. Those that they define derive from `modules.chainer.function_node`."""

from __future__ import annotations

from typing import Any

from renga_core.graph import FunctionHook, FunctionNode

__all__ = ["ADDITIONS"]


def _local_function_hooks(self: FunctionNode) -> dict[str, FunctionHook]:
    """Hooks of this function alone, by name."""
    return self._hooks or {}


def _impl_name(self: FunctionNode) -> str:
    """Name of the class."""
    return type(self).__name__


ADDITIONS: list[tuple[Any, str, Any]] = [
    (FunctionNode, "local_function_hooks", property(_local_function_hooks)),
    (FunctionNode, "_impl_name", property(_impl_name)),
    (FunctionNode, "lazy_grad_sum", False),
    (FunctionNode, "is_elementwise", False),
    (FunctionNode, "chainerx_device", None),
    (FunctionNode, "_is_chainerx_fallback_mode", False),
]
