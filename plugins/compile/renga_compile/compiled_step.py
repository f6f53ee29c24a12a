"""What a compiler makes of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CompiledStep"]


class CompiledStep:
    """A function that does what `step` does, faster. The protocol of what a compiler returns.

    A compiler is a callable that takes a step and returns one of these; ``renga.compile(step, "NAME")`` calls it. What
    one must keep to:

    - *Same results.* What is returned, parameters and gradients are what `step` would have made of them: the same bits,
      or within what the compiler documents.
    - *It falls back by itself.* A call that cannot be compiled is an ordinary one, ``step(*args)``, and `explain` says
      why. No step is refused.
    - *Errors pass.* What the step raises, the call raises, and the next call works. An interrupted call (Ctrl-C) leaves
      nothing behind: no tracer, no hook, no lock.
    - *Threads.* Several may call it at once. What other threads do is never affected.

    Its conformance kit is `renga_testing.suites.CompilerSuite`; docs/how-to/write-a-compiler.md tells how to write one.

    Args:
        step: A function or a Link: takes arrays, and returns arrays, Variables, numbers, or tuples, lists and
            dictionaries of these.

    Attributes:
        step: As given.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        self.step = step

    def __call__(self, *args: Any) -> Any:
        """Do what `step` does with these arguments."""
        raise NotImplementedError(f"{type(self).__name__} does not define __call__(*args)")

    def explain(self) -> str:
        """How the last call was computed, in one sentence: ``ordinary calls: …`` and why, if it was `step` itself."""
        raise NotImplementedError(f"{type(self).__name__} does not define explain()")

    @property
    def source(self) -> str:
        """The program that was computed last, for people to read; empty before there is one."""
        return ""
