import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from renga_core.backend import get_device
from renga_data.convert import concat_examples, to_device

shapes = hnp.array_shapes(min_dims=0, max_dims=3, max_side=3)


@given(st.data(), shapes, st.integers(1, 4), st.sampled_from(["f4", "f8", "i4", "u1", "?"]))
def test_arrays_are_stacked(data, shape, n, dtype):
    batch = [data.draw(hnp.arrays(dtype, shape)) for _ in range(n)]
    result = concat_examples(batch)
    assert result.shape == (n, *shape)
    assert result.dtype == dtype
    for i, x in enumerate(batch):
        np.testing.assert_array_equal(result[i], x)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4))
def test_padding_fills_up(shapes):
    batch = [np.full(shape, 7.0, np.float32) for shape in shapes]
    result = concat_examples(batch, padding=-1)
    assert result.dtype == np.float32
    assert result.shape[1:] == tuple(np.max(shapes, axis=0))
    for row, (height, width) in zip(result, shapes, strict=True):
        assert (row[:height, :width] == 7).all()
        assert (row == 7).sum() == height * width
        assert (row == -1).sum() == row.size - height * width


@pytest.mark.parametrize(
    ("batch", "dtype"),
    [
        ([1, 2], np.int64),
        ([1.5, 2], np.float64),
        ([np.float32(1), np.float32(2)], np.float32),
        ([True, False], np.bool),
    ],
)
def test_numbers_become_one_axis(batch, dtype):
    result = concat_examples(batch)
    assert (result.shape, result.dtype) == ((2,), dtype)
    assert result.tolist() == batch


def test_dtypes_are_promoted_not_truncated():
    for padding in (None, 0):
        result = concat_examples([np.array([1]), np.array([0.5])], padding=padding)
        assert result.tolist() == [[1.0], [0.5]]


def test_tuples_and_dictionaries():
    x, t = concat_examples([(np.zeros(2), 3), (np.ones(2), 4)])
    assert (x.tolist(), t.tolist()) == ([[0, 0], [1, 1]], [3, 4])
    result = concat_examples([{"x": np.zeros(2), "t": 3}, {"t": 4, "x": np.ones(2)}])
    assert list(result) == ["x", "t"]
    assert (result["x"].tolist(), result["t"].tolist()) == ([[0, 0], [1, 1]], [3, 4])


def test_padding_by_element_and_by_key():
    x, t = concat_examples([(np.zeros(2), np.zeros(1)), (np.ones(1), np.ones(1))], padding=(9, None))
    assert (x.tolist(), t.tolist()) == ([[0, 0], [1, 9]], [[0], [1]])
    result = concat_examples([{"x": np.zeros(2)}, {"x": np.ones(1)}], padding={"x": 9})
    assert result["x"].tolist() == [[0, 0], [1, 9]]
    result = concat_examples([{"x": np.zeros(2)}, {"x": np.ones(1)}], padding=9)
    assert result["x"].tolist() == [[0, 0], [1, 9]]


@pytest.mark.parametrize(
    ("batch", "padding", "message"),
    [
        ([], None, "the batch is empty"),
        (
            [np.zeros(3), np.zeros(3), np.zeros(2)],
            None,
            r"example 2 has shape \(2,\), but example 0 has \(3,\); `padding`",
        ),
        (
            [(0, np.zeros(3)), (0, np.zeros(2))],
            None,
            r"example 1 has shape \(2,\) in element 1, but example 0 has \(3,\)",
        ),
        ([{"x": np.zeros(3)}, {"x": np.zeros((3, 1))}], 0, r"example 1 has shape \(3, 1\) in 'x', but .* \(3,\)$"),
        ([(1, 2), (1,)], None, "example 1 has 1 elements, but example 0 has 2"),
        ([(1, 2), 3], None, "example 1 is a int, but example 0 a tuple"),
        ([{"x": 1}, {"y": 1}], None, r"example 1 has \['y'\] keys, but example 0 has \['x'\]"),
        ([(1, 2)], (0,), r"padding \(0,\) does not fit examples of 2 elements"),
        ([{"x": 1}], {"y": 0}, r"padding \{'y': 0\} does not fit examples of \['x'\] elements"),
    ],
)
def test_bad_batches(batch, padding, message):
    with pytest.raises(ValueError, match=message):
        concat_examples(batch, padding=padding)


def test_to_device():
    x = np.zeros(3)
    assert to_device(None, x) is x
    assert to_device("numpy", x) is x
    assert to_device(get_device("numpy"), x) is x
    assert type(concat_examples([1, 2], device="numpy")) is np.ndarray
