"""`compile`: choosing a compiler, and letting it have a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_compile.compiled_step import CompiledStep
from renga_compile.replay.step import ReplayedStep

__all__ = ["compile"]


def compile(step: Callable[..., Any]) -> CompiledStep:
    """A function that does what `step` does, faster. Experimental.

    Args:
        step: A function or a Link: see `CompiledStep`.
    """
    return ReplayedStep(step)
