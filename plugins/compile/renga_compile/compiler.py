"""`compile`: choosing a compiler, and letting it have a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_compile.compiled_step import CompiledStep
from renga_compile.kind import COMPILER
from renga_core.plugin import registry

__all__ = ["compile"]


def compile(step: Callable[..., Any], compiler: str | None = None) -> CompiledStep:
    """A function that does what `step` does, faster. Experimental.

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
        compiler: Name of the compiler; default: the setting ``run.compiler``, which is ``replay`` unless somebody says
            otherwise. ``renga plugins list compiler`` lists them.

    Returns:
        What the compiler makes of it: call it as you would call `step`. ``explain()`` says how the last call went.

    Raises:
        UnknownProvider, ProviderUnavailable, ProviderFaulty: There is no such compiler, or it does not work here.
    """
    return registry(COMPILER).load(compiler)(step)
