"""Values against annotations."""

import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.settings.types import describe, fit, parse


@pytest.mark.parametrize(
    ("value", "annotation", "fitted"),
    [
        (1, float, 1.0),
        (1, int | float, 1),
        (1, float | int, 1),
        ([1, 2], tuple[int, ...], (1, 2)),
        ([1, 2], tuple[float, float], (1.0, 2.0)),
        (3, int | tuple[int, int], 3),
        ([3, 4], int | tuple[int, int], (3, 4)),
        ([[1, "epoch"]], list[tuple[int, str]], [(1, "epoch")]),
        (None, typing.Optional[int], None),  # noqa: UP045  (the older spelling must work too)
        ("relu", Literal["relu", "tanh"], "relu"),
        (1, Annotated[float, "metres"], 1.0),
        ({"a": 1}, dict[str, float], {"a": 1.0}),
        ([1], list, [1]),
        ("anything", Any, "anything"),
        ("not simple", Callable[[int], int], "not simple"),
        ("not simple", np.ndarray, "not simple"),
    ],
)
def test_what_fits(value, annotation, fitted):
    result = fit(value, annotation)
    assert result == fitted
    assert type(result) is type(fitted)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (True, int),
        (True, float),
        (1, bool),
        (1.0, int),
        ("1", int),
        (1, str),
        (None, int),
        ([1, 2, 3], tuple[int, int]),
        (["a"], list[int]),
        ("ab", list[str]),
        ("gelu", Literal["relu", "tanh"]),
        (True, Literal[1]),
        ("x", int | float | None),
        ({"a": "x"}, dict[str, int]),
    ],
)
def test_what_does_not(value, annotation):
    with pytest.raises(TypeError):
        fit(value, annotation)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int, "int"),
        (float | None, "float"),
        (str | tuple[str, ...], "str or list of str"),
        (tuple[int, str], "array of (int, str)"),
        (Literal["a", "b"], "'a' or 'b'"),
        (dict[str, int], "table"),
        (list, "array"),
        (Annotated[int, "x"], "int"),
    ],
)
def test_types_in_words(annotation, words):
    assert describe(annotation) == words


@given(st.integers())
def test_every_int_survives_text(value):
    assert parse(str(value), int) == value


@given(st.floats(allow_nan=False))
def test_every_float_survives_text(value):
    assert parse(repr(value), float) == value


@given(st.lists(st.from_regex(r"[a-z0-9_.:-]+", fullmatch=True), min_size=2))
def test_every_list_of_names_survives_commas(names):
    assert parse(",".join(names), tuple[str, ...]) == tuple(names)
    assert parse(",".join(names), str | tuple[str, ...]) == tuple(names)


def test_text_as_other_types():
    assert parse("1,epoch", tuple[int, Literal["epoch"]]) == (1, "epoch")
    assert parse("[1, 'epoch']", tuple[int, str]) == (1, "epoch")
    assert parse("7", int | str) == 7
    assert parse("seven", int | str) == "seven"
    for text, annotation in [("1", tuple[int, int]), ("x", int | float), ("2", bool)]:
        with pytest.raises(TypeError):
            parse(text, annotation)
