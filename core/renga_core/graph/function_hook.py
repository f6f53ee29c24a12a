"""Hooks that are called for every function, in forward and backward."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from renga_core.configuration import config

if TYPE_CHECKING:
    from types import TracebackType

    from renga_core.backend import Array
    from renga_core.graph.function_node import FunctionNode

__all__ = ["FunctionHook", "active_hooks", "get_function_hooks", "watching"]


class FunctionHook:
    """Called before and after each function, forward and backward. Subclass it and override methods.

    As a context manager it watches all functions that the current thread applies::

        with TimerHook() as timer:
            loss = model(x)
            loss.backward()

    ``function.add_hook(hook)`` watches one function. Without active hooks there is no overhead.

    Attributes:
        name: Name under which the hook is registered; only one hook of a name can be active.
    """

    name = "FunctionHook"

    def __enter__(self) -> FunctionHook:
        hooks = get_function_hooks()
        if self.name in hooks:
            raise KeyError(f"a function hook named {self.name!r} is active already; give this one another name")
        hooks[self.name] = self
        self.added(None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        hooks = get_function_hooks()
        del hooks[self.name]
        if not hooks:
            del config.function_hooks  # function calls need no longer look for hooks
        self.deleted(None)

    def added(self, function: FunctionNode | None) -> None:
        """Called when the hook is registered, for one function or (None) for all."""

    def deleted(self, function: FunctionNode | None) -> None:
        """Called when the hook is removed."""

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Called before `function` computes; `in_data` are its input arrays."""

    def forward_postprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Called after `function` has computed, unless it raised an error."""

    def forward_aborted(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Called instead of `forward_postprocess` if `function` or another hook raised an error."""

    def backward_preprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Called before the gradients of `function` are computed; inputs that it did not retain are None."""

    def backward_postprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Called after the gradients of `function` are computed, unless an error was raised."""

    def backward_aborted(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Called instead of `backward_postprocess` if `function` or another hook raised an error."""


def get_function_hooks() -> dict[str, FunctionHook]:
    """The hooks that watch all functions of this thread, by name. Call this again after each change."""
    own = vars(config).get("function_hooks")
    if own is None:
        own = config.function_hooks = {}
    return own


@contextmanager
def watching(function: FunctionNode, direction: str, *arrays: tuple[Array | None, ...]) -> Iterator[None]:
    """Call the hooks of `function` before and after the block, or when the block raises an error.

    Args:
        function: The watched function.
        direction: ``"forward"`` or ``"backward"``.
        arrays: The arrays passed to the hooks.
    """
    hooks, begun = active_hooks(function), list[FunctionHook]()
    try:
        for hook in hooks:
            getattr(hook, f"{direction}_preprocess")(function, *arrays)
            begun.append(hook)
        yield
    except BaseException:
        for hook in reversed(begun):
            getattr(hook, f"{direction}_aborted")(function, *arrays)
        raise
    for hook in hooks:
        getattr(hook, f"{direction}_postprocess")(function, *arrays)


def active_hooks(function: FunctionNode) -> list[FunctionHook]:
    """The hooks to call for `function`: first the thread's hooks, then the function's own."""
    own: Any = function._hooks or {}
    return [*config.function_hooks.values(), *own.values()]
