"""Runs one test class with many settings."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "Generated",
    "classes_of",
    "from_pytest_parameterize",
    "parameterize",
    "parameterize_pytest",
    "product",
    "product_dict",
]


class Generated:
    """Replaces a decorated class: holds the generated classes. Test runners find these by their own names.

    Attributes:
        classes: The generated classes, which are in the module of the original one.
    """

    def __init__(self, classes: Sequence[type[Any]]) -> None:
        self.classes = tuple(classes)


def classes_of(case: type[Any] | Generated) -> tuple[type[Any], ...]:
    """Return the classes that a decorator changes: one class, or those of another decorator."""
    return case.classes if isinstance(case, Generated) else (case,)


def parameterize(*params: Mapping[str, Any]) -> Callable[[type[Any] | Generated], Generated]:
    """Repeat a test class for each entry of `params`, whose items become attributes.

    The classes are added to the module of the original class, under its name and ``_param_0_{shape=(), …}`` and so on,
    so that `unittest` and pytest find them. The original name then refers to all of them (`Generated`).

    Raises:
        TypeError: An entry of `params` is not a dict of names and values.

    >>> import unittest
    >>> @parameterize({"a": 1}, {"a": 2})
    ... class TestSquare(unittest.TestCase):
    ...     def test_sign(self):
    ...         self.assertGreater(self.a ** 2, 0)
    >>> [case.a for case in TestSquare.classes]
    [1, 2]
    """
    for param in params:
        if not isinstance(param, Mapping) or not all(isinstance(name, str) for name in param):
            raise TypeError(f"parameterize: expected dicts of attributes, got {param!r}")

    def decorate(case: type[Any] | Generated) -> Generated:
        made = [
            _variant(original, number, param) for original in classes_of(case) for number, param in enumerate(params)
        ]
        for original in classes_of(case):
            if isinstance(case, Generated):
                delattr(sys.modules[original.__module__], original.__name__)
            original.__test__ = False
        return Generated(made)

    return decorate


def _variant(original: type[Any], number: int, param: Mapping[str, Any]) -> type[Any]:
    said = ", ".join(f"{name}={_short(value)}" for name, value in sorted(param.items()))
    name = f"{original.__name__}_param_{number}_{{{said}}}"
    attributes = {"__module__": original.__module__, "__doc__": original.__doc__, "__test__": True, **param}
    # A function is a value here, not a method.
    attributes = {k: staticmethod(v) if callable(v) and not isinstance(v, type) else v for k, v in attributes.items()}
    made = type(name, (original,), attributes)
    setattr(sys.modules[original.__module__], name, made)
    return made


def _short(value: Any) -> str:
    text = value.__name__ if hasattr(value, "__name__") else repr(value)
    return text if len(text) <= 32 and "\n" not in text else f"{text[:28].splitlines()[0]}…"


def product(
    parameter: Mapping[str, Iterable[Any]] | Sequence[Sequence[Mapping[str, Any]]],
) -> list[dict[str, Any]]:
    """Return all combinations of the values of each name, or of one dict out of each list.

    Raises:
        TypeError: `parameter` is neither a dict of lists nor a list of lists of dicts.

    >>> product({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    >>> product([[{"a": 1}, {"a": 2}], [{"b": 3}]])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    if isinstance(parameter, Mapping):
        names = sorted(parameter)
        return [dict(zip(names, values, strict=True)) for values in itertools.product(*[parameter[n] for n in names])]
    if isinstance(parameter, Sequence) and all(isinstance(dicts, (list, tuple)) for dicts in parameter):
        return product_dict(*parameter)
    raise TypeError(f"product: expected a dict of lists, or a list of lists of dicts, got {parameter!r}")


def product_dict(*parameters: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return all combinations of one dict out of each list, merged.

    >>> product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [{k: v for part in parts for k, v in part.items()} for parts in itertools.product(*parameters)]


def from_pytest_parameterize(names: str | Sequence[str], values: Iterable[Any]) -> list[dict[str, Any]]:
    """Convert arguments of ``pytest.mark.parametrize`` to one of `parameterize`.

    Args:
        names: Names in a list, or separated by commas.
        values: One entry per case: a value if there is one name, else a tuple with a value per name.

    Raises:
        ValueError: The numbers of values and names differ.

    >>> from_pytest_parameterize("a, b", [(1, 2), (3, 4)])
    [{'a': 1, 'b': 2}, {'a': 3, 'b': 4}]
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [(value,) if len(listed) == 1 else tuple(value) for value in values]
    for row in rows:
        if len(row) != len(listed):
            raise ValueError(f"from_pytest_parameterize: {len(row)} values {row!r} for {len(listed)} names {listed}")
    return [dict(zip(listed, row, strict=True)) for row in rows]


def parameterize_pytest(
    names: str | Sequence[str], values: Iterable[Any]
) -> Callable[[type[Any] | Generated], Generated]:
    """`parameterize` with the arguments of ``pytest.mark.parametrize``: see `from_pytest_parameterize`."""
    return parameterize(*from_pytest_parameterize(names, values))
