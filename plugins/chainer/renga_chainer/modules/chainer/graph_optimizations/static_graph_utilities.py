"""Chainer's decorators of static graphs. They have no effect: the graph is built in each call (see `renga.compile`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_chainer.notices import notice

__all__ = ["static_code", "static_forward_optimizations", "static_graph"]


def static_graph(*args: Any, **options: Any) -> Any:
    """Return the method unchanged. Used as a decorator, with or without options."""
    return _as_it_is("static_graph", args)


def static_code(*args: Any, **options: Any) -> Any:
    """Return the function unchanged. Used as a decorator, with or without options."""
    return _as_it_is("static_code", args)


def static_forward_optimizations(func: Callable[..., Any], inputs: Any) -> Any:
    """``func.forward(inputs)``."""
    return func.forward(inputs)  # type: ignore[attr-defined]  # a FunctionNode


def _as_it_is(name: str, args: tuple[Any, ...]) -> Any:
    notice(name, f"chainer.{name} has no effect in Renga: the graph is built in each call. See renga.compile", 3)
    return args[0] if args and callable(args[0]) else lambda function: function
