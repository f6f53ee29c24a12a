"""`ListOperation`: one operation on many arrays, such as an update of all parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from renga_core import tracepoints
from renga_core.configuration import config, unusual
from renga_core.kernel.implementation import Implementation
from renga_core.kernel.operation import Operation

if TYPE_CHECKING:
    from renga_core.backend import Backend

__all__ = ["ListOperation"]


class ListOperation(Operation):
    """An operation on lists of arrays, which it changes in place. Row *i* is element *i* of each list.

    All arrays are of one dtype and on one device; those of a row are of one shape.

    What is done to one row does not depend on the others, so each row may have an implementation of its own: a kernel
    takes the large arrays, the reference the rest. Each implementation gets all its rows in one call.

    ``forward(*lists, *numbers)`` of the reference and of kernels takes lists, and returns nothing. ``supports(*row,
    *numbers)`` of a kernel is asked of one row at a time, with arrays in place of lists.

    Args:
        name: By which kernels are registered: ``adam_update``.
        forward: The reference, written on the namespace of its arguments.
        lists: How many of its arguments, the first ones, are lists.
        samples: As of `Operation`; the arguments of a sample are those of one row.
    """

    def __init__(self, name: str, forward: Callable[..., None], *, lists: int, samples: str = "") -> None:
        super().__init__(name, forward, samples=samples)
        self.lists = lists

    def __call__(self, backend: Backend, *args: Any) -> None:
        """Change the arrays of all rows.

        Args:
            backend: Owner of the arrays.
            args: The lists, all of one length, then the numbers.

        Raises:
            RuntimeError: Configuration demands a kernel (``kernels.<name>``) that does not support some row.
        """
        sole = self.sole(backend)
        if sole is not None:
            sole.forward(*args)
            return
        found = self._chosen.get(backend) or self._choose(backend)  # kept since `sole` has seen that it is not stale
        chain, numbers = found[1], args[self.lists :]
        chosen: dict[str, tuple[Implementation, list[tuple[Any, ...]]]] = {}
        for row in zip(*args[: self.lists], strict=True):
            for implementation in chain:
                if implementation.supports(*row, *numbers):
                    break
            else:
                self.select(backend, *row, *numbers)  # it raises, and says why
            if implementation.name not in chosen:
                chosen[implementation.name] = implementation, []
            chosen[implementation.name][1].append(row)
        for implementation, rows in chosen.values():
            if unusual and config.choice_tracers:
                tracepoints.chosen(self, implementation)
            implementation.forward(*zip(*rows, strict=True), *numbers)
