"""Inputs for the kits of functions and links: from the provider's description, or else guessed."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from renga_core.graph import Variable, as_array
from renga_core.plugin import Offer
from renga_core.plugin.provider import resolve
from renga_core.plugin.state import describe_error
from renga_testing.every_backend import is_floating, many

__all__ = ["Arguments", "Guess", "guess", "stated", "without_elements"]

Host = np.ndarray[Any, Any]

SHAPES = ((4, 3), (2, 3, 4), (2, 3, 4, 4), (3, 3), (2, 3, 3))
"""A batch of rows, of sequences, of images; one square matrix, and two."""


@dataclass(frozen=True)
class Guess:
    """Floating arrays of one shape.

    Attributes:
        count: How many.
        shape: Of each.
        positive: Numbers are between 0.1 and 0.9. Otherwise they are positive or negative, with a magnitude between 0.2
            and 2.
    """

    count: int
    shape: tuple[int, ...]
    positive: bool

    def __str__(self) -> str:
        values = "between 0.1 and 0.9" if self.positive else "of either sign"
        return f"{self.count} floating array{'s' * (self.count > 1)} of shape {self.shape}, {values}"

    def arrays(self, rng: np.random.Generator, dtype: np.dtype[Any]) -> tuple[Host, ...]:
        """Draw them."""
        return tuple(self._draw(rng).astype(dtype) for _ in range(self.count))

    def _draw(self, rng: np.random.Generator) -> Host:
        if self.positive:
            return rng.uniform(0.1, 0.9, self.shape)
        # No number is so close to 0 that the points of a numerical derivative would be on both sides of 0.
        signed: Host = rng.uniform(0.2, 2, self.shape) * rng.choice([-1.0, 1.0], self.shape)
        return signed


@dataclass(frozen=True)
class Arguments:
    """The arguments of a call.

    Attributes:
        by_place, by_name: Positional and keyword arguments: arrays, lists of arrays, and other values.
    """

    by_place: tuple[Any, ...]
    by_name: Mapping[str, Any]

    @cached_property
    def arrays(self) -> tuple[Host, ...]:
        """The arrays, those in lists as well, in order."""
        return tuple(_arrays([*self.by_place, *self.by_name.values()]))

    @property
    def others(self) -> Mapping[str, Any]:
        """Keyword arguments without arrays."""
        return {name: value for name, value in self.by_name.items() if not _arrays([value])}

    def filled(self, values: Iterable[Any]) -> Arguments:
        """The same arguments with other arrays."""
        rest = iter(values)
        by_place = tuple(_replaced(list(self.by_place), rest))
        return Arguments(by_place, {name: _replaced(value, rest) for name, value in self.by_name.items()})


def _arrays(values: Iterable[Any]) -> list[Host]:
    found: list[Host] = []
    for value in values:
        found += [value] if isinstance(value, np.ndarray) else _arrays(value) if isinstance(value, list) else []
    return found


def _replaced(value: Any, arrays: Iterator[Any]) -> Any:
    if isinstance(value, list):
        return [_replaced(each, arrays) for each in value]
    return next(arrays) if isinstance(value, np.ndarray) else value


def stated(offer: Offer, rng: np.random.Generator, dtype: np.dtype[Any]) -> Arguments:
    """The arguments in a provider's description.

    Raises:
        AssertionError: They are neither a tuple nor a dictionary with host arrays, or floating-point arrays have a
            wrong dtype.
    """
    where = f"inputs, by {offer.provider.inputs}"
    try:
        given = resolve(offer.provider.inputs)(rng, dtype)
    except Exception as error:
        raise AssertionError(f"{where}: {describe_error(error)}") from error
    expected = "expected a tuple, or a dictionary, with NumPy arrays"
    assert isinstance(given, (tuple, dict)), f"{where}, are a {type(given).__name__}; {expected}"
    arguments = Arguments((), given) if isinstance(given, dict) else Arguments(given, {})
    assert arguments.arrays, f"{where}, hold no array; {expected}"
    for i, x in enumerate(arguments.arrays):
        assert x.dtype == dtype or not is_floating(x), f"{where}: array {i} has dtype {x.dtype}; expected {dtype}"
    return arguments


def guess(label: str, call: Callable[..., Any], signature: Callable[..., Any], given: Mapping[str, Any]) -> Guess:
    """Find floating arrays of one shape, one for each argument without a default, that give finite results.

    Args:
        label: Name of the function or link, for the message.
        call: Takes Variables.
        signature: Signature with the arguments to guess.
        given: Arguments by name that `call` adds.

    Raises:
        AssertionError: There are none; the message says what to do.
    """
    count, refused = _arguments(signature, given), ""
    for shape in SHAPES:
        for positive in (False, True):
            tried = Guess(count, shape, positive)
            try:
                wrong = _wrong(call, tried)
            except Exception as error:
                wrong = describe_error(error)
            if not wrong:
                return tried
            refused = refused or f"{tried}: {wrong}"
    raise AssertionError(
        f"{label} accepts none of {2 * len(SHAPES)} guessed inputs. The first error was {refused}. Next: give inputs "
        f"in the "
        f"description's field inputs (in a test class: make_inputs), and other arguments by --set KEY=VALUE (options)"
    )


def without_elements(arrays: Sequence[Host]) -> tuple[Host, ...]:
    """The arrays without rows: all arrays with as many rows as the first are cut to 0 rows."""
    rows = len(arrays[0])
    return tuple(x[:0] if x.ndim and len(x) == rows else x for x in arrays)


def _arguments(signature: Callable[..., Any], given: Mapping[str, Any]) -> int:
    """Number of required positional arguments, not counting `given`."""
    parameters = inspect.signature(signature).parameters.values()
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    missing = [p for p in parameters if p.kind in places and p.default is p.empty and p.name not in given]
    return max(1, len(missing))


def _wrong(call: Callable[..., Any], tried: Guess) -> str:
    """Description of an error in the results; "" if there is none."""
    xs = tried.arrays(np.random.default_rng(0), np.dtype(np.float64))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        ys = many(call(*[Variable(x) for x in xs]))
    finite = all(np.isfinite(as_array(y)).all() for y in ys if is_floating(y))
    return "" if finite else "results are not finite"
