import gc
import io
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_core.errors import RengaError
from renga_cv.utils.iterator.apply_to_iterator import apply_to_iterator
from renga_cv.utils.iterator.progress_hook import ProgressHook
from renga_cv.utils.iterator.unzip import unzip
from renga_data.iterators import SerialIterator
from renga_distributed.threads import launch


class Example:
    """Something that can be watched."""


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(), st.sampled_from("abc")), min_size=1), st.lists(st.sampled_from([0, 1])))
def test_unzip_undoes_zip_in_any_order_of_reading(rows, order):
    columns = unzip(iter(rows))
    seen = [[], []]
    for which in order:
        seen[which] += [value for value in [next(columns[which], None)] if value is not None]
    for which, column in enumerate(columns):
        seen[which] += column
        assert seen[which] == [row[which] for row in rows]


def test_unzip_fetches_what_is_needed_and_frees_what_is_not_read():
    made = []

    def rows():
        for _ in range(4):
            made.append(weakref.ref(example := Example()))
            row = example, len(made)
            del example
            yield row
            del row

    examples, numbers = unzip(rows())
    assert len(made) == 1
    assert next(numbers) == 1
    assert next(numbers) == 2
    assert [ref() is not None for ref in made] == [True, True]
    del examples
    assert list(numbers) == [3, 4]
    gc.collect()
    assert not any(ref() for ref in made)
    assert unzip([]) == ()
    with pytest.raises(ValueError, match="1 elements, the first has 2"):
        list(unzip([(1, 2), (3,)])[0])


def add_and_multiply(a, b):
    return [x + y for x, y in zip(a, b, strict=True)], [x * y for x, y in zip(a, b, strict=True)]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_inputs_outputs_and_the_rest(size):
    data = [(i, 2 * i, str(i), -i) for i in range(7)]

    def program(comm):
        batches = SerialIterator(data, 3, repeat=False, shuffle=False) if comm.rank == 0 else None
        counts = []
        hook = (lambda *values: counts.append(tuple(len(lists) for lists in values))) if comm.rank == 0 else None
        found = apply_to_iterator(add_and_multiply, batches, 2, hook, None if size == 1 else comm)
        if comm.rank:
            assert found == ((), (), ())
            return
        assert counts == [(2, 2, 2)]  # the first batch only
        inputs, (sums, products), rest = found
        assert [list(values) for values in rest] == [[row[2] for row in data], [row[3] for row in data]]
        assert list(sums) == [3 * i for i in range(7)]
        assert list(products) == [2 * i * i for i in range(7)]
        assert [list(values) for values in inputs] == [list(range(7)), list(range(0, 14, 2))]
        assert len(counts) == 3

    launch(program, size)


def test_examples_that_are_one_input_and_nothing_else():
    inputs, outputs, rest = apply_to_iterator(lambda xs: [x + 1 for x in xs], [[np.array(1), np.array(2)], [], [5]])
    assert rest == ()
    assert [list(values) for values in outputs] == [[2, 3, 6]]
    assert [list(values) for values in inputs] == [[1, 2, 5]]
    assert apply_to_iterator(add_and_multiply, [], 2) == ((), (), ())


def test_nothing_is_computed_before_it_is_read_or_kept_after():
    alive = []

    def batches():
        for i in range(5):
            batch = [Example(), Example()]
            alive.extend(map(weakref.ref, batch))
            yield batch
            del batch
            assert sum(ref() is not None for ref in alive) <= 2 or i == 0

    inputs, (numbers,), _ = apply_to_iterator(lambda xs: [len(alive)] * len(xs), batches())
    assert len(alive) == 2
    del inputs
    assert list(numbers) == [2, 2, 4, 4, 6, 6, 8, 8, 10, 10]
    gc.collect()
    assert not any(ref() for ref in alive)


def test_what_the_function_gets_wrong_is_said():
    with pytest.raises(ValueError, match="returned 1 values for 2 examples"):
        apply_to_iterator(lambda xs: [0], [[1, 2]])
    with pytest.raises(ValueError, match=r"examples have \[1, 2\] elements"):
        apply_to_iterator(lambda xs: xs, [[(1, 2), (1,)]])
    with pytest.raises(ValueError, match="at least 2"):
        apply_to_iterator(add_and_multiply, [[(1,)]], 2)
    with pytest.raises(ValueError, match="iterator is None"):
        apply_to_iterator(lambda xs: xs, None)


@pytest.mark.parametrize("failing", [0, 1])
def test_a_rank_that_fails_keeps_no_other_waiting(failing):
    caught = {}

    def program(comm):
        def predict(xs):
            if comm.rank == failing:
                raise KeyError("broken network")
            return xs

        try:
            apply_to_iterator(predict, [[1, 2], [3, 4]] if comm.rank == 0 else None, comm=comm)
        except Exception as error:
            caught[comm.rank] = error

    launch(program, 2)
    if failing == 0:
        assert isinstance(caught.pop(0), KeyError)
    else:
        assert isinstance(caught.pop(1), KeyError)
        error = caught.pop(0)
        assert isinstance(error, RengaError)
        assert "failed on rank 1" in str(error)
        assert "broken network" in str(error)
    assert not caught


@pytest.mark.parametrize("broken", [True, False], ids=["an iterator that breaks", "iterators nobody reads"])
def test_other_ranks_return_when_rank_0_stops(broken):
    def batches():
        yield [1, 2]
        if broken:
            raise OSError("no disk")
        yield [3, 4]

    def program(comm):
        found = apply_to_iterator(lambda xs: xs, batches() if comm.rank == 0 else None, comm=comm)
        if comm.rank == 0 and broken:
            with pytest.raises(OSError, match="no disk"):
                list(found[1][0])
        del found

    launch(program, 2)


def test_progress_is_counted_and_shown(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    hook = ProgressHook(n_total=5)
    _, (values,), _ = apply_to_iterator(lambda xs: xs, [[1, 2], [3, 4], [5]], hook=hook)
    assert hook.n_processed == 2
    assert list(values) == [1, 2, 3, 4, 5]
    assert (hook.n_processed, hook.n_total) == (5, 5)
    assert "5/5" in out.getvalue()
