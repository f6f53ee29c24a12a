"""Views against what they stand for: a list of rows, on which the same is done one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_data.iterators import SerialIterator
from renga_data.tabular import DelegateDataset, TabularDataset, from_data


class Counted(TabularDataset):
    """Arrays and a list; remembers what it was asked for."""

    def __init__(self, n=6, start=0, mode=tuple):
        self.columns = (
            np.arange(start, start + n),
            [f"s{i}" for i in range(start, start + n)],
            np.arange(2.0 * start, 2.0 * (start + n)).reshape(n, 2),
        )
        self.asked = []
        self._mode = mode

    def __len__(self):
        return len(self.columns[0])

    keys = ("a", "b", "c")

    @property
    def mode(self):
        return self._mode

    def get_examples(self, indices, key_indices):
        self.asked.append((indices, key_indices))
        chosen = self.columns if key_indices is None else [self.columns[i] for i in key_indices]
        if indices is None:
            return tuple(chosen)
        if isinstance(indices, slice):
            return tuple(c[indices] for c in chosen)
        return tuple(c[indices] if isinstance(c, np.ndarray) else [c[i] for i in indices] for c in chosen)


def plain(value):
    """Arrays as lists."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


class Model:
    """What a view must be: keys, mode, and a list of tuples."""

    def __init__(self, keys, mode, rows):
        self.keys, self.mode, self.rows = keys, mode, rows

    def example(self, row):
        if self.mode is tuple:
            return row
        return dict(zip(self.keys, row, strict=True)) if self.mode is dict else row[0]


def model_of(dataset):
    return Model(dataset.keys, dataset.mode, plain(list(zip(*dataset.columns, strict=True))))


def check(dataset, model):
    assert len(dataset) == len(model.rows)
    assert dataset.keys == model.keys
    assert dataset.mode == model.mode
    assert plain(dataset[:]) == [model.example(row) for row in model.rows]
    assert [plain(example) for example in dataset] == [model.example(row) for row in model.rows]
    columns = tuple(map(list, zip(*model.rows, strict=True))) if model.rows else ([],) * len(model.keys)
    assert plain(dataset.fetch()) == model.example(columns)


def first(*elements, **named):
    return plain(next(iter((*elements, *named.values()))))


def first_and_number(*elements, **named):
    return {"p": first(*elements, **named), "q": len(elements) + len(named)}


SLICES = st.slices(8)
TRANSFORMS = [(first, ("p",), None), (first_and_number, ("p", "q"), dict)]


@st.composite
def views(draw):
    n, mode = draw(st.integers(0, 6)), draw(st.sampled_from([tuple, dict]))
    source = Counted(n, mode=mode)
    dataset, model = source, model_of(source)
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["slice", "list", "mask", "keys", "key", "mode", "concat", "join", "transform"]))
        size = len(model.rows)
        if kind == "slice":
            taken = draw(SLICES)
            dataset, rows = dataset.slice[taken], model.rows[taken]
        elif kind == "list" and size:
            chosen = draw(st.lists(st.integers(-size, size - 1), max_size=6))
            dataset, rows = (
                dataset.slice[draw(st.sampled_from([chosen, np.array(chosen, int)]))],
                [model.rows[i] for i in chosen],
            )
        elif kind == "mask" and size:
            mask = draw(st.lists(st.booleans(), min_size=size, max_size=size))
            dataset, rows = dataset.slice[mask], [row for row, m in zip(model.rows, mask, strict=True) if m]
        elif kind in ("keys", "key"):
            width = len(model.keys)
            chosen = draw(st.lists(st.integers(-width, width - 1), min_size=1, max_size=3, unique_by=lambda i: i % 3))
            chosen = list(dict.fromkeys(i % width for i in chosen))
            if kind == "key":
                chosen = chosen[:1]
            named = tuple(model.keys[i] if draw(st.booleans()) else i for i in chosen)
            dataset = dataset.slice[:, named if kind == "keys" else named[0]]
            mode = None if kind == "key" else model.mode or tuple
            rows = [tuple(row[i] for i in chosen) for row in model.rows]
            model = Model(tuple(model.keys[i] for i in chosen), mode, rows)
        elif kind == "mode":
            mode = draw(st.sampled_from([tuple, dict]))
            dataset = dataset.as_tuple() if mode is tuple else dataset.as_dict()
            model, rows = Model(model.keys, mode, model.rows), model.rows
        elif kind == "concat" and model.keys == ("a", "b", "c"):
            others = [Counted(draw(st.integers(0, 4)), 10 * k) for k in (1, 2)]
            dataset, rows = dataset.concat(*others), model.rows + [r for o in others for r in model_of(o).rows]
        elif kind == "join" and "z" not in model.keys:
            z = list(range(100, 100 + size))
            dataset = dataset.join(from_data(("z", z)))
            rows = [(*row, i) for row, i in zip(model.rows, z, strict=True)]
            model = Model((*model.keys, "z"), model.mode or tuple, rows)
        elif kind == "transform" and size:
            function, keys, mode = draw(st.sampled_from(TRANSFORMS))
            dataset = dataset.transform(keys, function)
            rows = [tuple(function(*row).values()) if mode is dict else (function(*row),) for row in model.rows]
            model = Model(keys, mode, rows)
        else:
            continue
        model = Model(model.keys, model.mode, rows)
    return dataset, model


@given(views())
def test_views_are_what_they_stand_for(made):
    check(*made)


@given(views(), st.data())
def test_parts_of_views(made, data):
    dataset, model = made
    size = len(model.rows)
    taken = data.draw(SLICES)
    assert plain(dataset[taken]) == [model.example(row) for row in model.rows[taken]]
    if size:
        chosen = data.draw(st.lists(st.integers(-size, size - 1)))
        assert plain(dataset[chosen]) == [model.example(model.rows[i]) for i in chosen]
        assert [plain(dataset[i]) for i in chosen] == plain(dataset[chosen])
    for i in (size, -size - 1):
        with pytest.raises(IndexError):
            dataset[i]


def test_slices_stay_slices_and_nothing_is_read_before_it_is_needed():
    source = Counted(100)
    view = source.slice[10:].slice[::2, ("c", "a")].as_dict().slice[3:6, "a"]
    assert len(view) == 3
    assert source.asked == []
    assert view.fetch().tolist() == [16, 18, 20]
    assert source.asked == [(slice(16, 22, 2), (0,))]
    assert np.shares_memory(view.fetch(), source.columns[0])


def test_a_slice_of_examples_is_read_at_once():
    source = Counted(100)
    assert len(source[5:50]) == 45
    assert source.asked == [(slice(5, 50, None), None)]
    source.asked.clear()
    assert [a for a, _, _ in source[np.array([7, 3])]] == [7, 3]
    assert source.asked == [([7, 3], None)]


def test_concatenated_arrays_are_arrays_and_only_what_is_asked_is_read():
    one, two, three = Counted(4), Counted(5, 10), Counted(2, 20)
    whole = one.concat(two, three)
    a, b, c = whole.fetch()
    assert (type(a), type(b), c.shape) == (np.ndarray, list, (11, 2))
    for source in (one, two, three):
        source.asked.clear()
    assert whole.slice[9:2:-3, "a"].fetch().tolist() == [20, 12, 3]
    assert (one.asked, two.asked, three.asked) == (
        [(slice(3, 0, -3), (0,))],
        [(slice(2, None, -3), (0,))],
        [(slice(0, None, -3), (0,))],
    )
    for source in (one, two, three):
        source.asked.clear()
    assert whole.slice[[5, 4, 6], "a"].fetch().tolist() == [11, 10, 12]
    assert (one.asked, three.asked) == ([], [])


def test_joined_reads_only_the_columns_that_are_asked_for():
    one, two = Counted(3), Counted(3, 10).transform_batch(("d", "e"), lambda a, b, c: (a, b))
    joined = one.join(two)
    assert joined.keys == ("a", "b", "c", "d", "e")
    assert (
        joined.slice[1,]
        if False
        else plain(joined.slice[:, ("e", "a", "e")].fetch())
        == (
            ["s10", "s11", "s12"],
            [0, 1, 2],
            ["s10", "s11", "s12"],
        )
    )
    assert one.asked == [(slice(None), (0,))]


def test_rows_of_another_dtype_or_shape_stay_what_they_are():
    columns = [np.array([0.5]), np.array([1], np.int8), [2], np.zeros((2, 3), np.int8)]
    whole = from_data(("x", columns[0])).concat(*(from_data(("x", c)) for c in columns[1:]))
    assert [type(x) for x in whole] == [np.float64, np.int8, int, np.ndarray, np.ndarray]
    assert [type(x) for x in whole.slice[[1, 0]].fetch()] == [np.int8, np.float64]


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([0, 6], IndexError, "row 6 is out of range for 6 rows"),
        ([-7], IndexError, "row -7 is out of range for 6 rows"),
        ([True], IndexError, "a mask of 1 entries does not fit 6 rows"),
        ([0.5], IndexError, "integers or a mask, not float64"),
        (3, IndexError, r"for one example, dataset\[i\]"),
        ((slice(None), "d"), KeyError, "no column 'd'; there are a, b, c"),
        ((slice(None), ("a", 3)), IndexError, "column 3 is out of range for 3 columns: a, b, c"),
    ],
)
def test_what_is_not_there(rows, error, message):
    with pytest.raises(error, match=message):
        Counted(6).slice[rows]


def test_data_sets_that_do_not_fit_together():
    with pytest.raises(ValueError, match=r"not \(a, b, c\) and \(a\)"):
        Counted().concat(Counted().slice[:, ("a",)])
    with pytest.raises(ValueError, match=r"the same length, not \[6, 5\]"):
        Counted().join(from_data(("z", [1] * 5)))
    with pytest.raises(ValueError, match="must not share a key"):
        Counted().join(Counted())


def test_transform_takes_examples_in_their_mode():
    pairs = Counted(3).transform(("s", "t"), lambda a, b, c: (a + 1, b * 2))
    assert (pairs.mode, pairs[1]) == (tuple, (2, "s1s1"))
    named = Counted(3, mode=dict).transform("s", lambda c, **rest: {"s": len(rest)})
    assert (named.mode, named[2]) == (dict, {"s": 2})
    alone = Counted(3).slice[:, "a"].transform("s", lambda a: -a)
    assert (alone.mode, list(alone)) == (None, [0, -1, -2])


def test_transforms_that_change_their_mind():
    dataset = Counted(3).transform(("s", "t"), lambda a, b, c: (a, b) if a < 2 else {"s": a, "t": b})
    with pytest.raises(ValueError, match="returns a dict, but has returned a tuple before"):
        dataset.fetch()
    with pytest.raises(ValueError, match="returns 1 elements; expected s, t"):
        Counted(3).transform(("s", "t"), lambda *e: (1,)).fetch()
    with pytest.raises(ValueError, match=r"returns keys \['x'\]; expected s"):
        Counted(3).transform("s", lambda *e: {"x": 1}).fetch()
    with pytest.raises(ValueError, match="returns 1 rows of 's' for 3"):
        Counted(3).transform_batch("s", lambda *e: [1]).fetch()


def test_transform_batch_is_called_once():
    calls = []

    def double(a, b, c):
        calls.append(len(a))
        return {"twice": 2 * a, "c": c}

    dataset = Counted(6).transform_batch(("c", "twice"), double)
    assert dataset.mode is dict
    calls.clear()
    assert dataset.slice[1:4, "twice"].fetch().tolist() == [2, 4, 6]
    assert calls == [3]


def test_an_empty_data_set_has_a_mode():
    assert Counted(0).transform(("s", "t"), lambda *e: e).mode is tuple
    assert Counted(0).transform("s", lambda *e: e).mode is None


def test_conversion():
    data = Counted(3).asarray()
    assert [(type(x), x.shape) for x in data] == [(np.ndarray, (3,)), (np.ndarray, (3,)), (np.ndarray, (3, 2))]
    assert from_data([np.zeros(2), np.ones(2)]).asarray().tolist() == [[0, 0], [1, 1]]
    view = Counted(3).with_converter(lambda *columns, **named: "converted").as_dict()
    assert view.slice[:2].concat(Counted(1)).asarray() == "converted"
    assert view.join(from_data(("z", [1, 2, 3]))).asarray() == "converted"
    assert Counted(2, mode=dict).asarray()["a"].tolist() == [0, 1]
    assert view.transform("s", lambda **e: 1).asarray() == "converted"


def test_a_converter_gets_columns_as_a_transform_gets_elements():
    def said(*columns, **named):
        return len(columns), sorted(named)

    data = from_data((("a", np.arange(3)), ("b", np.arange(3))))
    assert data.with_converter(said).asarray() == (2, [])
    assert data.as_dict().with_converter(said).asarray() == (0, ["a", "b"])
    assert data.slice[:, "a"].with_converter(said).asarray() == (1, [])
    assert data.slice[:, ("a",)].with_converter(said).asarray() == (1, [])


@pytest.mark.parametrize("error", [IndexError, ValueError])
def test_a_mask_of_another_length(error):
    with pytest.raises(error, match="a mask of 2 entries does not fit 3 rows"):
        from_data(np.arange(3)).slice[[True, False]]


def test_what_a_delegate_delegates_to():
    data, other = from_data(np.arange(3)), from_data(np.arange(2))
    delegate = DelegateDataset(data)
    assert delegate.dataset is data
    delegate.dataset = other
    assert len(delegate) == 2


def test_an_iterator_reads_a_batch_at_once():
    source = Counted(5)
    with SerialIterator(
        source.as_dict(), 2, repeat=False, order_sampler=lambda order, _: np.array([4, 2, 0])
    ) as batches:
        assert [[example["a"] for example in batch] for batch in batches] == [[4, 2], [0]]
    assert source.asked == [([4, 2], None), ([0], None)]

    def fail(a, b, c):
        raise KeyError(a)

    with (
        SerialIterator(source.transform("x", fail), 2, shuffle=False) as batches,
        pytest.raises(KeyError) as caught,
    ):
        next(batches)
    assert caught.value.__notes__ == ["This was one of the examples [0, 1] of a Transformed."]


def test_a_class_may_make_its_examples_one_by_one():
    class OneByOne(DelegateDataset):
        def get_example(self, i):
            return "example", i

    dataset = OneByOne(Counted(4))
    assert dataset[1:3] == [("example", 1), ("example", 2)]
    with SerialIterator(dataset, 2, shuffle=False) as batches:
        assert next(batches) == [("example", 0), ("example", 1)]


def test_a_delegate_can_be_rearranged():
    dataset = DelegateDataset(Counted(3))
    dataset.keys = "c", "a"
    dataset.mode = dict
    assert list(dataset[1]) == ["c", "a"]
    with pytest.raises(ValueError, match="mode None needs exactly one column, not 2: c, a"):
        dataset.mode = None
    with pytest.raises(ValueError, match="mode must be tuple, dict or None"):
        dataset.mode = list
    dataset.keys = ("a",)
    dataset.mode = None
    assert list(dataset) == [0, 1, 2]
    dataset.mode = tuple
    assert dataset[0] == (0,)
