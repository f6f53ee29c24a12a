"""Arguments that are drawn at random for each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Draw", "Drawn", "by_name", "by_place", "distinct", "fixed", "floats", "positive", "whole"]

Draw = Callable[[np.random.Generator, np.dtype[Any]], Any]


class Drawn:
    """An argument that is drawn at random for each call."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw


def floats(*shape: int) -> Drawn:
    """Numbers of either sign. None is close to 0, where many functions have a kink."""
    return Drawn(lambda rng, t: (rng.uniform(0.2, 2, shape) * rng.choice([-1.0, 1.0], shape)).astype(t))


def positive(*shape: int) -> Drawn:
    """Numbers between 0.1 and 0.9."""
    return Drawn(lambda rng, t: rng.uniform(0.1, 0.9, shape).astype(t))


def distinct(*shape: int) -> Drawn:
    """Numbers that differ clearly, for functions that select the largest."""
    count = int(np.prod(shape))
    return Drawn(lambda rng, t: ((rng.permutation(count) - count / 2) * 0.1).reshape(shape).astype(t))


def whole(end: int, *shape: int) -> Drawn:
    """Integers from 0."""
    return Drawn(lambda rng, t: rng.integers(0, end, shape).astype(np.int32))


def fixed(value: Any, dtype: Any = None) -> Drawn:
    """These numbers, in their own dtype or in the requested one."""
    return Drawn(lambda rng, t: np.array(value, dtype or t))


def _drawn(value: Any, rng: np.random.Generator, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, Drawn):
        return value.draw(rng, dtype)
    return [_drawn(each, rng, dtype) for each in value] if isinstance(value, list) else value


def by_place(*arguments: Any) -> Draw:
    """Positional arguments, for `inputs` of a description."""
    return lambda rng, dtype: tuple(_drawn(value, rng, dtype) for value in arguments)


def by_name(**arguments: Any) -> Draw:
    """Keyword arguments, for `inputs` of a description."""
    return lambda rng, dtype: {name: _drawn(value, rng, dtype) for name, value in arguments.items()}
