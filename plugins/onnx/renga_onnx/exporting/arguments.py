"""Arguments and results of a network: arrays by name, and their named axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, get_device_of, to_host
from renga_onnx.exporting.sizes import FACTORS, Axis
from renga_onnx.structure import is_input, leaves

__all__ = ["axes_of", "grown", "inputs_of", "outputs_of", "shapes_of", "smaller_reversed"]

Names = Sequence[str] | Mapping[str, str] | None

_KINDS = "bfiu"
"""NumPy dtypes that a graph supports."""


def inputs_of(args: Any, names: Names) -> dict[str, Array]:
    """Return the arrays of arguments, by name. They are copied, because values are identified by object identity.

    Raises:
        TypeError: There are no arrays, or an array contains objects or text.
        ValueError: Names do not fit.
    """
    found = {path: leaf for path, leaf in leaves(args) if is_input(leaf)}
    if not found and args not in ([], (), {}):
        raise TypeError(
            f"args has no array and no Variable that could become an input of the graph; its type is "
            f"{type(args).__name__}. Next: turn its numbers into arrays, numpy.asarray(…)"
        )
    named = _named(found, "input", isinstance(args, Mapping), names)
    return {name: _plain(value, name).copy() for name, value in named.items()}


def outputs_of(results: Any, names: Names) -> dict[str, Array]:
    """Return the arrays in a network's result, by name.

    Raises:
        TypeError: The result contains other objects.
        ValueError: Names do not fit.
    """
    found = dict(leaves(results))
    for path, leaf in found.items():
        if not hasattr(leaf, "dtype"):
            place = "".join(f"[{key!r}]" for key in path)
            raise TypeError(
                f"the network returns {'None' if leaf is None else f'something of type {type(leaf).__name__}'}"
                f"{f' at {place} of its result' if place else ''}; an exported function must return arrays or "
                f"Variables, or lists, tuples and dictionaries of them. Next: export a function that returns these only"
            )
    if not found:
        raise TypeError(f"the network returns an empty {type(results).__name__}: there is nothing to export")
    return {
        name: _plain(value, name)
        for name, value in _named(found, "output", isinstance(results, Mapping), names).items()
    }


def _named(found: Mapping[tuple[Any, ...], Any], kind: str, keyed: bool, names: Names) -> dict[str, Any]:
    """Return values by name: keys if the outermost container is a dictionary, otherwise numbers."""
    numbers = [f"{kind.capitalize()}_{i}" for i in range(len(found))]
    chosen = ["_".join(map(str, path)) for path in found] if keyed else numbers
    if isinstance(names, Mapping):
        unknown = [key for key in names if key not in chosen]
        if unknown or not keyed:
            raise ValueError(f"{kind}_names renames {list(names)}; there are: {', '.join(chosen)}")
        chosen = [names.get(name, name) for name in chosen]
    elif names is not None:
        if isinstance(names, str) or len(names) != len(found):
            raise ValueError(f"{kind}_names is {names!r}; expected a list of {len(found)}, one for each {kind}")
        chosen = list(names)
    for i, name in enumerate(chosen):
        if not isinstance(name, str) or not name or name in chosen[:i]:
            raise ValueError(f"{kind}_names has {name!r} for number {i}; expected a text that no other {kind} has")
    return dict(zip(chosen, found.values(), strict=True))


def _plain(value: Any, name: str) -> Array:
    array = getattr(value, "_array", value)
    if np.dtype(array.dtype).kind not in _KINDS and "bfloat16" not in str(array.dtype):
        raise TypeError(f"{name} is an array of {array.dtype}; expected real numbers or booleans")
    return array


def shapes_of(given: Any, inputs: Mapping[str, Array], args: Any) -> dict[str, tuple[int | str, ...]]:
    """Return shapes with names of axes, by input.

    Raises:
        ValueError: The shapes do not fit the inputs.
    """
    names = list(inputs)
    if given is None:
        return {}
    if isinstance(given, Mapping):
        keys = list(args) if isinstance(args, Mapping) and len(args) == len(names) else names
        unknown = [key for key in given if key not in (*keys, *names)]
        if unknown:
            raise ValueError(f"input_shapes has a shape for {unknown[0]!r}; inputs are: {', '.join(keys)}")
        listed = [given.get(key, given.get(name)) for key, name in zip(keys, names, strict=True)]
    elif not isinstance(given, (list, tuple)):
        raise ValueError(f"input_shapes is {given!r}; expected a shape such as ('batch', 3), or one for each input")
    elif len(names) == 1 and not (given and isinstance(given[0], (list, tuple))):
        listed = [given]
    else:
        listed = list(given)
    if len(listed) != len(names):
        raise ValueError(f"{len(listed)} input_shapes for {len(names)} inputs: {', '.join(names)}")
    shapes = {name: shape for name, shape in zip(names, listed, strict=True) if shape is not None}
    for name, shape in shapes.items():
        actual = tuple(inputs[name].shape)
        if not _fits(shape, actual):
            raise ValueError(f"input_shapes has {shape} for {name}, which is called with {actual}")
    return {name: tuple(shape) for name, shape in shapes.items()}


def _fits(shape: Any, actual: tuple[int, ...]) -> bool:
    if not isinstance(shape, (list, tuple)) or len(shape) != len(actual):
        return False
    pairs = zip(shape, actual, strict=True)
    return all(a == b if isinstance(a, (int, np.integer)) else isinstance(a, str) and bool(a) for a, b in pairs)


def axes_of(inputs: Mapping[str, Array], shapes: Mapping[str, tuple[int | str, ...]]) -> tuple[Axis, ...]:
    """Return the named axes, one per name.

    Raises:
        ValueError: Axes with one name have different sizes, one has no elements, or there are too many names.
    """
    found: dict[str, Axis] = {}
    for name, shape in shapes.items():
        for position, (axis, size) in enumerate(zip(shape, inputs[name].shape, strict=True)):
            if isinstance(axis, str) and axis not in found:
                if len(found) == len(FACTORS):
                    raise ValueError(
                        f"input_shapes has more than {len(FACTORS)} names of axes: {axis!r} after {[*found]}"
                    )
                if not size:
                    raise ValueError(f"axis {axis!r} of {name} has no elements. Next: call the network with some")
                found[axis] = Axis(axis, name, position, size, size * FACTORS[len(found)])
            elif isinstance(axis, str) and found[axis].first != size:
                raise ValueError(
                    f"input_shapes gives two axes the name {axis!r}; they have the sizes {found[axis].first} and {size}"
                )
    return tuple(found.values())


def grown(array: Array, shape: Sequence[int | str], axes: tuple[Axis, ...]) -> Array:
    """Repeat the elements along named axes."""
    factors = {axis.name: axis.second // axis.first for axis in axes}
    times = [factors.get(axis, 1) if isinstance(axis, str) else 1 for axis in shape] or [1] * array.ndim
    host = np.tile(to_host(array), times)
    return get_device_of(array).send(host)


def smaller_reversed(array: Array, factor: float) -> Array:
    """Reverse the order of elements; multiply floating-point ones by a factor."""
    host = np.ascontiguousarray(np.flip(to_host(array)))
    return get_device_of(array).send(host * host.dtype.type(factor) if host.dtype.kind in "fc" else host)
