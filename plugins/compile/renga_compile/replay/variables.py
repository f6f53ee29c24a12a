"""Variables outside of a step that it reads: a replay must notice that the program has assigned one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dis import get_instructions
from types import CellType
from typing import Any

__all__ = ["Variables"]


class Variables:
    """The variables that a function reads, of the functions around it and of its module.

    Args:
        step: The function. A callable without code, such as a Link, reads none.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        code = getattr(step, "__code__", None)
        self._cells: Sequence[CellType] = () if code is None else step.__closure__ or ()
        self._module: dict[str, Any] = {} if code is None else step.__globals__
        read = [] if code is None else [each.argval for each in get_instructions(code) if each.opname == "LOAD_GLOBAL"]
        self._globals = tuple(dict.fromkeys(read))
        self._names = () if code is None else (*code.co_freevars, *self._globals)

    def values(self) -> list[Any]:
        """Return the present values; None for a variable that has none."""
        return [*map(_content, self._cells), *map(self._module.get, self._globals)]

    def assigned(self, before: list[Any]) -> str | None:
        """Return the name of the first variable whose value was another one before; None if there is none."""
        pairs = zip(self._names, before, self.values(), strict=True)
        return next((name for name, old, new in pairs if old is not new), None)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it has no value yet
        return None
