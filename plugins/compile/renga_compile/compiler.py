"""`compile`: chooses a compiler and applies it to a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_compile.compiled_step import CompiledStep
from renga_compile.kind import COMPILER
from renga_core.plugin import registry

__all__ = ["compile"]


def compile(step: Callable[..., Any], compiler: str | None = None) -> CompiledStep:
    """Return a function that does the same as `step`, but faster. Experimental.

    ::

        @renga.compile
        def step(x, t):
            loss = model(x, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            return loss

    Args:
        step: A function or a Link: see `CompiledStep`.
        compiler: Name of the compiler; default: the setting ``run.compiler``, which is ``replay`` by default. ``renga
            plugins list compiler`` lists all.

    Returns:
        The compiled step: call it like `step`. ``explain()`` describes the last call.

    Raises:
        TypeError: `step` cannot be called.
        UnknownProvider, ProviderUnavailable, ProviderFaulty: The compiler does not exist, or does not work here.
    """
    if not callable(step):
        raise TypeError(f"renga.compile takes a function or a Link, not {type(step).__name__} {step!r:.60}")
    return registry(COMPILER).load(compiler)(step)
