"""``chainer.training.extension``: `make_extension` returns the function itself, with attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.training import Extension

__all__ = ["make_extension"]


def make_extension(
    trigger: Any = None,
    default_name: str | None = None,
    priority: int | None = None,
    finalizer: Callable[[], object] | None = None,
    initializer: Callable[[Any], object] | None = None,
    on_error: Callable[..., object] | None = None,
    **kwargs: Any,
) -> Callable[[Any], Any]:
    """Decorate a function with an extension's attributes. `initializer` and the other functions are stored unchanged.

    Args:
        trigger, default_name, priority, finalizer, initializer, on_error: As in Renga.

    Raises:
        ValueError: `invoke_before_training` was given, which Chainer 2 removed.
        TypeError: There is no such argument.
    """
    if "invoke_before_training" in kwargs:
        raise ValueError("invoke_before_training has been removed since Chainer v2.0.0. Use initializer= instead.")
    if kwargs:
        raise TypeError(f"make_extension() has no argument {next(iter(kwargs))!r}")

    def decorate(function: Any) -> Any:
        function.trigger = Extension.trigger if trigger is None else trigger
        function.priority = Extension.priority if priority is None else priority
        function.default_name = default_name or function.__name__
        function.finalize, function.initialize, function.on_error = finalizer, initializer, on_error
        return function

    return decorate
