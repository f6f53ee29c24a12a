"""Checking values against types: TOML values, and text from the environment or a command line.

The types are those of TOML files: bool, int, float, str, None, lists, tuples (written as TOML arrays), tables,
`Literal` and unions of these, and numbers with a bound, ``Annotated[int, AtLeast(1)]``. Any other annotation (an array,
a callable) accepts every value: the callee must check it.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["AtLeast", "describe", "fit", "from_toml", "parse"]

_UNIONS = (typing.Union, types.UnionType)
_SIMPLE = (bool, int, float, str)
_ARRAYS = (list, tuple, Sequence)


class AtLeast(NamedTuple):
    """The lower bound of a number, in ``Annotated[int, AtLeast(1)]``."""

    least: int


def fit(value: object, annotation: Any) -> Any:
    """Return `value` in the type `annotation`: an int may become a float, and an array a tuple.

    Raises:
        TypeError: The value does not fit.
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        fitted = fit(value, arguments[0])
        if any(isinstance(bound, AtLeast) and fitted < bound.least for bound in arguments[1:]):
            raise TypeError
        return fitted
    if origin in _UNIONS:
        return _fit_union(value, arguments)
    if origin is typing.Literal:
        # `1 == True`, so the type is compared too.
        if not any(value == choice and type(value) is type(choice) for choice in arguments):
            raise TypeError
        return value
    if annotation is None or annotation is types.NoneType:
        if value is not None:
            raise TypeError
        return None
    if annotation in _SIMPLE:
        return _fit_simple(value, annotation)
    kind = origin or annotation
    if kind in _ARRAYS:
        return _fit_array(value, kind, arguments)
    if kind in (dict, Mapping):
        if not isinstance(value, Mapping):
            raise TypeError
        inner = arguments[1] if arguments else Any
        return {key: fit(item, inner) for key, item in value.items()}
    return value


def _fit_simple(value: object, annotation: type) -> Any:
    if annotation is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, annotation) or (isinstance(value, bool) and annotation is not bool):
        raise TypeError
    return value


def _fit_union(value: object, members: Sequence[Any]) -> Any:
    # A member that accepts the value unchanged comes before one that converts it: 1 for `float | int` stays 1.
    fitted = []
    for member in members:
        try:
            result = fit(value, member)
        except TypeError:
            continue
        if result is value:
            return value
        fitted.append(result)
    if not fitted:
        raise TypeError
    return fitted[0]


def _fit_array(value: object, kind: Any, arguments: Sequence[Any]) -> Any:
    if not isinstance(value, (list, tuple)):
        raise TypeError
    make = tuple if kind is tuple else list
    if kind is tuple and arguments and arguments[-1] is not Ellipsis:
        if len(value) != len(arguments):
            raise TypeError
        return tuple(fit(item, inner) for item, inner in zip(value, arguments, strict=True))
    inner = arguments[0] if arguments else Any
    return make(fit(item, inner) for item in value)


def describe(annotation: Any) -> str:
    """Describe a type: ``int``, ``str or list of str``, ``array of (int, str)``, ``'epoch' or 'iteration'``."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        bounds = [f" of at least {bound.least}" for bound in arguments[1:] if isinstance(bound, AtLeast)]
        return describe(arguments[0]) + "".join(bounds)
    if origin in _UNIONS:
        return " or ".join(dict.fromkeys(describe(member) for member in arguments if member is not types.NoneType))
    if origin is typing.Literal:
        return " or ".join(repr(choice) for choice in arguments)
    kind = origin or annotation
    if kind in _ARRAYS:
        if not arguments:
            return "array"
        if kind is tuple and arguments[-1] is not Ellipsis:
            return f"array of ({', '.join(describe(item) for item in arguments)})"
        return f"list of {describe(arguments[0])}"
    if kind in (dict, Mapping):
        return "table"
    return getattr(annotation, "__name__", str(annotation))


def parse(text: str, annotation: Any) -> Any:
    """Convert `text` (an environment variable, the right side of ``--set key=text``) to the type `annotation`.

    Booleans are 1/0, true/false, yes/no, on/off. A list is separated by commas, or written as a TOML array.

    Raises:
        TypeError: The text is not a value of this type.
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return fit(parse(text, arguments[0]), annotation)
    if origin in _UNIONS:
        # Text becomes a string only if nothing else fits: "1" for `int | str` is 1, "a,b" for `str | list[str]` a list.
        for member in sorted(arguments, key=lambda member: member is str):
            if typing.get_origin(member) in _ARRAYS and not _looks_like_array(text):
                continue
            try:
                return parse(text, member)
            except TypeError:
                continue
        raise TypeError
    if annotation is bool:
        return _parse_bool(text)
    if annotation in (int, float):
        try:
            return annotation(text)
        except ValueError:
            raise TypeError from None
    if annotation is str:
        value = from_toml(text)
        return value if isinstance(value, str) else text
    if origin in _ARRAYS:
        return _parse_array(text, annotation)
    return fit(from_toml(text), annotation)


def from_toml(text: str) -> Any:
    """Read `text` as a TOML value; text that is not TOML (``lenet``, ``cupy:0``) is returned as a string."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):  # not TOML; a huge integer; deeply nested arrays
        return text


def _looks_like_array(text: str) -> bool:
    return "," in text or text.lstrip().startswith("[")


def _parse_bool(text: str) -> bool:
    word = text.strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise TypeError


def _parse_array(text: str, annotation: Any) -> Any:
    if text.lstrip().startswith("["):
        return fit(from_toml(text), annotation)
    words = [word.strip() for word in text.split(",") if word.strip()]
    arguments = typing.get_args(annotation)
    if typing.get_origin(annotation) is tuple and arguments[-1] is not Ellipsis:
        if len(words) != len(arguments):
            raise TypeError
        return tuple(parse(word, inner) for word, inner in zip(words, arguments, strict=True))
    return fit([parse(word, arguments[0]) for word in words], annotation)
