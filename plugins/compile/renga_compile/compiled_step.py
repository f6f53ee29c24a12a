"""The protocol for compiled steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

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

    def __get__(self, instance: object, owner: type | None = None) -> Self:
        """Return this step, when it is read as an attribute of a class or its objects.

        Raises:
            TypeError: `step` is a method, compiled in the body of its class: it would not get its object.
        """
        code = getattr(self.step, "__code__", None)
        if instance is not None and code is not None and code.co_varnames[:1] == ("self",):
            name = self.step.__name__
            raise TypeError(
                f"{self.step.__qualname__} is a method: renga.compile does not give it its object. "
                f"Next: compile it for each object, in the constructor: self.{name} = renga.compile(self.{name})"
            )
        return self

    def explain(self) -> str:
        """Describe the last call in one sentence: ``ordinary calls: …`` with the reason, if it called `step` itself."""
        raise NotImplementedError(f"{type(self).__name__} does not define explain()")

    @property
    def source(self) -> str:
        """Source of the last program, for people to read; empty if there is none yet."""
        return ""
