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
    """An operation that changes lists of arrays in place. Row *i* consists of element *i* of each list.

    All arrays have one dtype and are on one device; the arrays of a row have one shape. A list may hold numbers.

    Rows are independent, so each row may use a different implementation: a kernel may handle large arrays, and the
    reference the rest. Each implementation gets all its rows in one call.

    ``forward(*lists, *numbers)`` of the reference and of kernels takes lists, and returns nothing. ``supports(*row,
    *numbers)`` of a kernel takes the arrays of one row in place of lists.

    Args:
        name: Name under which kernels are registered: ``adam_update``.
        forward: The reference, written on the arrays' namespace.
        lists: The number of leading arguments that are lists.
        samples: As for `Operation`; the arguments of a sample are those of one row.
    """

    def __init__(self, name: str, forward: Callable[..., None], *, lists: int, samples: str = "") -> None:
        super().__init__(name, forward, samples=samples)
        self.lists = lists

    def __call__(self, backend: Backend, *args: Any) -> None:
        """Change the arrays of all rows.

        Args:
            backend: The backend of the arrays.
            args: The lists, all of the same length, then the numbers.

        Raises:
            RuntimeError: The settings require a kernel (``kernels.<name>``) that does not support some row.
        """
        sole = self.sole(backend)
        if sole is not None:
            sole.forward(*args)
            return
        found = self._chosen.get(backend) or self._choose(backend)  # `sole` has checked that it is current
        chain, numbers = found[1], args[self.lists :]
        chosen: dict[str, tuple[Implementation, list[tuple[Any, ...]]]] = {}
        for row in zip(*args[: self.lists], strict=True):
            for implementation in chain:
                if implementation.supports(*row, *numbers):
                    break
            else:
                self.select(backend, *row, *numbers)  # raises an error that says why
            if implementation.name not in chosen:
                chosen[implementation.name] = implementation, []
            chosen[implementation.name][1].append(row)
        for implementation, rows in chosen.values():
            if unusual and config.choice_tracers:
                tracepoints.chosen(self, implementation)
            implementation.forward(*zip(*rows, strict=True), *numbers)
