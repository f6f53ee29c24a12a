"""The protocol for compiled steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["CompiledStep"]


class CompiledStep:
    """A function that does the same as `step`, but faster. The protocol for the result of a compiler.

    A compiler is a callable that takes a step and returns such a function; ``renga.compile(step, "NAME")`` calls it.
    The requirements:

    - *Same results.* Return value, parameters and gradients equal those of `step`: the same bits, or within the
      tolerance that the compiler documents.
    - *Automatic fallback.* A call that cannot be compiled calls ``step(*args)``, and `explain` gives the reason. No
      step is refused.
    - *Errors.* An exception of the step is raised by the call, and the next call works. An interrupted call (Ctrl-C)
      leaves no tracer, hook or lock behind.
    - *Threads.* Several threads may call it at once. Other threads are never affected.

    Its conformance kit is `renga_testing.suites.CompilerSuite`. How to write a compiler:
    docs/how-to/write-a-compiler.md.

    Args:
        step: A function or a Link. It takes arrays, and returns arrays, Variables, numbers, or tuples, lists and
            dictionaries of these.

    Attributes:
        step: The argument `step`.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        self.step = step

    def __call__(self, *args: Any) -> Any:
        """Do the same as `step` with these arguments."""
        raise NotImplementedError(f"{type(self).__name__} does not define __call__(*args)")

    def explain(self) -> str:
        """Describe the last call in one sentence: ``ordinary calls: …`` with the reason, if it called `step` itself."""
        raise NotImplementedError(f"{type(self).__name__} does not define explain()")

    @property
    def source(self) -> str:
        """Source of the last program, for people to read; empty if there is none yet."""
        return ""
