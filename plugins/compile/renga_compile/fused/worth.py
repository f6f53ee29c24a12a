"""Estimates whether a compiled function takes less time than separate calls of NumPy.

The constants are for a processor of 2025, and matter only if both ways take nearly the same time. A compiled function
runs once in a step, so its code is not in the processor's cache: a call takes as long as about six calls of NumPy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from renga_compile.fused.statements import Arithmetic, Call, Reduction, Spec

__all__ = ["Worth"]

_COMPILED = 6.0  # microseconds to call a compiled function
_ARRAY = 0.4  # microseconds for each argument of it
_LINE = 0.7  # microseconds of a line of NumPy
_FUNCTION = 2.0  # microseconds to call a function of the library
_RATE = 20_000  # bytes read or written per microsecond


class Worth:
    """Selects the statements that are faster when compiled.

    Args:
        statements: All statements of the program: the readers of an array decide whether it must be in memory.
        specs: Shapes and dtypes of the arrays, by name.
    """

    def __init__(self, statements: Sequence[Arithmetic | Call], specs: dict[str, Spec]) -> None:
        self._specs = specs
        copies = [each for each in statements if isinstance(each, Arithmetic) and each.copies]
        self._sources = {each.result: each.operands[0].name for each in copies}  # NumPy computes these as views
        self._readers = Counter(chain.from_iterable([statement.reads for statement in statements]))

    def compiled(self, statements: Sequence[Arithmetic]) -> list[Arithmetic]:
        """The statements for one compiled function; empty if none is faster.

        Statements without common arrays are counted separately; the cost of the call counts once.
        """
        gains = [(self._gain(each), each) for each in _connected(statements)]
        chosen = [(gain, each) for gain, each in gains if gain > 0]
        if sum([gain for gain, _ in chosen]) <= _COMPILED:
            return []
        found = {each.result for _, part in chosen for each in part}
        return [each for each in statements if each.result in found]

    def _gain(self, statements: Sequence[Arithmetic]) -> float:
        """The saved microseconds, without the cost of the call itself."""
        made = {each.result: each.spec for each in statements}
        inside = Counter(chain.from_iterable([each.reads for each in statements]))
        inputs = [name for name in inside if name not in made]
        outputs = [name for name in made if self._readers[name] > inside[name]]
        moved = sum([self._bytes(name) for name in inputs]) + sum([_size(made[name]) for name in outputs])
        return sum(map(self._ordinary, statements)) - _ARRAY * (len(inputs) + len(outputs)) - moved / _RATE

    def _ordinary(self, statement: Arithmetic) -> float:
        """The microseconds that a statement takes as a separate line."""
        if statement.copies:
            return 0
        moved = sum([self._bytes(self._source(name)) for name in statement.reads]) + _size(statement.spec)
        return (_FUNCTION if statement.call or isinstance(statement, Reduction) else _LINE) + moved / _RATE

    def _source(self, name: str) -> str:
        """The base of a view."""
        while name in self._sources:
            name = self._sources[name]
        return name

    def _bytes(self, name: str) -> int:
        return _size(self._specs[name])


def _size(spec: Spec) -> int:
    return int(spec.size * spec.dtype.itemsize)


def _connected(statements: Sequence[Arithmetic]) -> list[list[Arithmetic]]:
    """The statements in sets that share arrays."""
    leader: dict[str, str] = {each.result: each.result for each in statements}

    def first(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for each in statements:
        for operand in each.operands:
            if operand.name in leader:
                leader[first(operand.name)] = first(each.result)
    parts: dict[str, list[Arithmetic]] = {}
    for each in statements:
        parts.setdefault(first(each.result), []).append(each)
    return list(parts.values())
