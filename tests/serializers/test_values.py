import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_serializers.values import Misfit, decode, encode

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.complex_numbers(allow_nan=False),
    st.text(st.characters(exclude_characters="\0", codec="utf-8")),
)


@given(scalars)
def test_a_scalar_comes_back_with_its_type(value):
    back = decode(encode(value), value)
    assert back == value
    assert type(back) is type(value)


@given(hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, min_side=0)))
def test_an_array_comes_back_with_its_dtype_and_shape(array):
    back = decode(encode(array), np.zeros_like(array))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize("value", [[1, 2], (1.5,), ["a", "bc"], []])
def test_lists_and_tuples(value):
    assert decode(encode(value), value) == value


@pytest.mark.parametrize("value", [{}, object(), b"bytes", {1}, [object()], np.array([None]), 2**70])
def test_what_would_need_pickle_is_refused(value):
    with pytest.raises(TypeError):
        encode(value)


def test_the_stored_number_wins_over_the_type_of_the_current_one():
    assert decode(encode(0.5), 0) == 0.5
    assert decode(encode(None), 3) is None
    assert isinstance(decode(encode(3), 0.5), float)


def test_where_there_was_none():
    assert decode(encode("text"), None) == "text"
    assert type(decode(encode(3), None)) is int
    parameter = decode(encode(np.zeros((), np.float32)), None)
    assert parameter.shape == ()
    assert parameter.dtype == np.float32


@pytest.mark.parametrize(
    ("stored", "value", "message"),
    [
        (
            np.zeros(2, np.float32),
            np.zeros(3, np.float32),
            r"float32 of shape \(2,\) in the file, but float32 of shape \(3,\)",
        ),
        (np.zeros(1, np.float32), np.zeros(3, np.float32), "shape"),
        (np.zeros(2, np.float64), np.zeros(2, np.float32), "is float64 of shape"),
        (np.zeros(2, np.int32), np.zeros(2, np.float32), "int32"),
        (None, np.zeros(2, np.float32), "is None in the file"),
        ("text", 1, "but int here"),
        (1, "text", "but str here"),
        (np.zeros(2), 1.0, "but float here"),
        (1.0, [1.0], "but list here"),
    ],
)
def test_misfits(stored, value, message):
    with pytest.raises(Misfit, match=message):
        decode(encode(stored), value)


def test_not_strict_converts_within_a_kind_only():
    single = np.zeros(2, np.float32)
    assert decode(encode(np.ones(2)), single, strict=False).dtype == np.float32
    assert decode(encode(None), single, strict=False) is None
    with pytest.raises(Misfit):
        decode(encode(np.ones(2, np.int32)), single, strict=False)
    with pytest.raises(Misfit):
        decode(encode(np.ones(3)), single, strict=False)


def test_byte_order_is_not_a_difference():
    back = decode(np.arange(3, dtype=">f4"), np.zeros(3, "<f4"))
    assert back.tolist() == [0, 1, 2]
    assert back.dtype == np.dtype("<f4")
