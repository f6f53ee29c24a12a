"""Checks of arguments of distributions: parameters, and points at which functions are evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_core.backend import default_device, get_array_module, same_dtype
from renga_core.configuration import get_dtype
from renga_core.graph import InvalidType, Variable, as_array, as_variable
from renga_core.graph.errors import describe_array
from renga_nn.functions import broadcast_to, cast
from renga_nn.functions.checks import require_array, require_floating

__all__ = ["Shape", "one_of", "parameters", "points"]

Shape = tuple[int, ...]

_NUMBERS = (int, float, np.number)


def parameters(owner: str, given: dict[str, tuple[Any, int]]) -> tuple[list[Variable], Shape]:
    """Return parameters as Variables with broadcast batch axes, and the batch shape.

    Args:
        owner: Name of the class.
        given: By name, a parameter and the number of its last axes that belong to one distribution. A number takes the
            dtype of the other parameters; if all are numbers, the dtype is `config.dtype`.

    Raises:
        InvalidType: A parameter is not an array of a floating dtype, the dtypes differ, one has too few axes, or the
            shapes do not broadcast.
    """
    arrays = [value for value, _ in given.values() if not isinstance(value, _NUMBERS)]
    values = {}
    for name, (value, _) in given.items():
        if not isinstance(value, _NUMBERS):
            values[name] = value
        elif arrays and hasattr(arrays[0], "dtype"):
            values[name] = get_array_module(arrays[0]).asarray(float(value), dtype=arrays[0].dtype)
        else:
            values[name] = default_device().send(np.asarray(value, get_dtype()))
    first = next(iter(values))
    for name, value in values.items():
        require_floating(owner, name, value)
        if not same_dtype(value, values[first]):
            expected = f"the dtype of {first}: {describe_array(values[first])}"
            raise InvalidType(owner, name, expected, describe_array(value))
        axes = given[name][1]
        if value.ndim < axes:
            raise InvalidType(owner, name, f"at least {axes} axes", describe_array(value))
    fronts = {name: tuple(value.shape[: value.ndim - given[name][1]]) for name, value in values.items()}
    try:
        batch = np.broadcast_shapes(*fronts.values())
    except ValueError as error:
        actual = ", ".join(f"{name} {describe_array(value)}" for name, value in values.items())
        raise InvalidType(owner, ", ".join(values), "shapes that broadcast", actual) from error
    full = [
        as_variable(value) if fronts[name] == batch else broadcast_to(value, batch + value.shape[len(fronts[name]) :])
        for name, value in values.items()
    ]
    return full, batch


def one_of(owner: str, *choices: dict[str, Any]) -> int:
    """Return which of several groups of parameters was given: all of its parameters, and none of the others.

    Raises:
        ValueError: No group, several groups, or a part of a group was given.
    """
    complete = [i for i, group in enumerate(choices) if all(value is not None for value in group.values())]
    named = [name for group in choices for name, value in group.items() if value is not None]
    if len(complete) != 1 or len(named) != len(choices[complete[0]]):
        wanted = " or ".join(" and ".join(group) for group in choices)
        raise ValueError(f"{owner}: give either {wanted}; got {' and '.join(named) or 'none of them'}")
    return complete[0]


def points(owner: str, x: Any, like: Variable, batch: Shape, event: Shape = ()) -> Variable:
    """Return points at which a function is evaluated, in the dtype of the parameters.

    Args:
        owner: Name of the function.
        x: A number, Variable or array. Its shape broadcasts with `batch`, followed by `event`.
        like: A parameter.
        batch, event: Shapes of the distribution.

    Raises:
        InvalidType: The shape is wrong, or `x` is not an array.
    """
    if isinstance(x, _NUMBERS):
        x = like.xp.asarray(float(x), dtype=like.dtype)
    require_array(owner, "x", x)
    front = x.ndim - len(event)
    try:
        fits = tuple(x.shape[max(front, 0) :]) == event
        np.broadcast_shapes(tuple(x.shape[: max(front, 0)]), batch)
    except ValueError:
        fits = False
    if not fits:
        expected = f"a shape that broadcasts with {batch}" + (f", followed by {event}" if event else "")
        raise InvalidType(owner, "x", expected, describe_array(as_array(x)))
    return cast(x, like.dtype)
