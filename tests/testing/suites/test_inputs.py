"""What the kits of functions and links call them with."""

from types import SimpleNamespace

import numpy as np
import pytest

import renga.functions as F
from renga_testing.suites import LinkSuite
from renga_testing.suites.inputs import SHAPES, Guess, guess, stated, without_elements


def of(function, **options):
    return guess("it", lambda *xs: function(*xs, **options), function, options)


@pytest.mark.parametrize(
    ("function", "options", "expected"),
    [
        (F.relu, {}, Guess(1, (4, 3), positive=False)),
        (F.log, {}, Guess(1, (4, 3), positive=True)),
        (F.linear, {}, Guess(2, (4, 3), positive=False)),
        (F.clip, {"x_min": 0.0, "x_max": 1.0}, Guess(1, (4, 3), positive=False)),
        (F.max_pooling_2d, {"ksize": 2}, Guess(1, (2, 3, 4, 4), positive=False)),
        (F.inv, {}, Guess(1, (3, 3), positive=False)),
    ],
)
def test_the_first_guess_that_gives_finite_results(function, options, expected):
    assert of(function, **options) == expected


def test_guesses_are_the_same_each_time_in_each_dtype():
    tried = Guess(2, (4, 3), positive=False)
    wide, narrow = (tried.arrays(np.random.default_rng(0), np.dtype(dtype)) for dtype in ("float64", "float16"))
    for x, y in zip(wide, narrow, strict=True):
        assert (x.dtype, y.dtype) == (np.float64, np.float16)
        assert np.array_equal(x.astype(np.float16), y)
        assert (abs(x) >= 0.2).all()
        assert (x < 0).any()


def test_what_cannot_be_guessed_says_what_to_do():
    with pytest.raises(AssertionError) as caught:
        of(F.reshape)
    text = str(caught.value)
    first = (
        f"it accepts none of {2 * len(SHAPES)} guessed inputs. The first error was 2 floating arrays of shape (4, 3), "
    )
    assert text.startswith(first)
    for part in ("field inputs", "make_inputs", "--set KEY=VALUE"):
        assert part in text


def offer(target):
    return SimpleNamespace(provider=SimpleNamespace(inputs=f"{__name__}:{target}"))


def right(rng, dtype):
    return rng.standard_normal(3).astype(dtype), np.arange(3)


def by_name(rng, dtype):
    return {"xs": [np.ones((3, 2), dtype), np.ones((1, 2), dtype)], "axis": 1, "t": np.arange(3), "at": (0, 1)}


def test_arguments_by_name_may_be_lists_and_numbers():
    given = stated(offer("by_name"), np.random.default_rng(0), np.dtype(np.float32))
    assert [x.shape for x in given.arrays] == [(3, 2), (1, 2), (3,)]
    assert given.filled("abc").by_name == {"xs": ["a", "b"], "axis": 1, "t": "c", "at": (0, 1)}
    assert given.others == {"axis": 1, "at": (0, 1)}


def double(rng, dtype):
    return (rng.standard_normal(3),)


def one(rng, dtype):
    return rng.standard_normal(3).astype(dtype)


def numbers(rng, dtype):
    return (1.0,)


def raising(rng, dtype):
    raise ValueError("no")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("double", "array 0 has dtype float64; expected float16"),
        ("one", "are a ndarray; expected a tuple, or a dictionary, with NumPy arrays"),
        ("numbers", "hold no array; expected a tuple"),
        ("raising", "ValueError: no"),
        ("missing", "AttributeError"),
    ],
)
def test_wrong_inputs_are_told(target, expected):
    rng = np.random.default_rng(0)
    assert [x.dtype for x in stated(offer("right"), rng, np.dtype(np.float16)).arrays] == [np.float16, np.int64]
    with pytest.raises(AssertionError, match=expected) as caught:
        stated(offer(target), rng, np.dtype(np.float16))
    assert f"inputs, by {__name__}:{target}" in str(caught.value)


def test_rows_are_cut_where_the_first_input_has_as_many():
    x, w, t, c = np.ones((4, 3)), np.ones((2, 3)), np.ones(4), np.array(1.0)
    assert [a.shape for a in without_elements((x, w, t, c))] == [(0, 3), (2, 3), (0,), ()]


def test_a_link_is_made_and_called_as_its_description_states():
    class Stated(LinkSuite):
        provider = "nn:linear"

    kit = Stated()
    assert kit.make_link().W.shape == (2, 3)
    assert [x.shape for x in kit.make_inputs(np.random.default_rng(0), np.dtype("f"))] == [(4, 3)]


def test_with_options_of_a_test_class_inputs_are_guessed_for_these():
    class Other(LinkSuite):
        provider = "nn:linear"
        options = {"in_size": 12, "out_size": 5}

    kit = Other()
    assert kit.make_link().W.shape == (5, 12)
    (x,) = kit.make_inputs(np.random.default_rng(0), np.dtype("f"))
    assert x.shape == (2, 3, 4)
    assert kit.call(kit.make_link(), x).shape == (2, 5)
