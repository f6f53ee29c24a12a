"""The constants of a program. Each has one copy, possibly in the memory order of an engine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

__all__ = ["Constants"]

Host = np.ndarray[Any, Any]


class Constants(Mapping[int, Host]):
    """Arrays by number.

    Args:
        arrays: The arrays.
        foreign: Whether they belong to a model.
    """

    def __init__(self, arrays: Mapping[int, Host], foreign: bool = False) -> None:
        self._arrays = dict(arrays)
        self._makers: dict[int, Callable[[], Host]] = {}
        self._shown = {number: _shown(array.shape, array.dtype) for number, array in arrays.items()}
        self._foreign = set(arrays) if foreign else set()

    def __getitem__(self, number: int) -> Host:
        """Return the array; recreate it if an engine has the only copy."""
        return self._arrays[number] if number in self._arrays else self._makers[number]()

    def __iter__(self) -> Iterator[int]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)

    def __reduce__(self) -> tuple[Any, ...]:
        return Constants, (dict(self),)

    def shown(self, number: int) -> Host:
        """Return an array of the same shape and dtype, without gaps, with undefined elements."""
        return self._shown[number]

    def own(self, number: int) -> Host:
        """Return the array, which from now on is stored here only."""
        if number not in self._arrays or number in self._foreign:
            array = self[number]
            self._arrays[number] = array.copy() if number in self._arrays else array
            self._foreign.discard(number)
            self._makers.pop(number, None)
        return self._arrays[number]

    def own_all(self) -> None:
        """Release the model, which is not needed any more."""
        for number in list(self._foreign):
            self.own(number)

    def add(self, number: int, shape: tuple[int, ...], make: Callable[[], Host]) -> None:
        """Add a float32 constant, which `make` computes from the model's when it is needed."""
        self._shown[number], self._makers[number] = _shown(shape, np.dtype(np.float32)), make
        self._foreign.add(number)

    def give(self, number: int, back: Callable[[], Host]) -> None:
        """Release the array: its engine has a copy, and returns it on request."""
        self._arrays.pop(number, None)
        self._foreign.discard(number)
        self._makers[number] = back

    def only(self, numbers: Collection[int]) -> Constants:
        """Return some of the constants."""
        made = Constants({})
        for name, part in vars(self).items():
            kept = [each for each in part if each in numbers]
            setattr(made, name, {*kept} if isinstance(part, set) else {each: part[each] for each in kept})
        return made

    def copy(self) -> Constants:
        """Return the same arrays."""
        return self.only(self._shown)


def _shown(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Host:
    steps = [dtype.itemsize]
    for size in shape[:0:-1]:
        steps.append(steps[-1] * size)
    return as_strided(np.zeros(1, dtype), shape, steps[len(steps) - 1 :: -1] if shape else (), writeable=False)
