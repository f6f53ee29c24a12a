"""Whether every example gets to a rank, and a rank gets no more than its part."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import renga
from renga_core.communicator import MismatchError
from renga_core.dataset import DatasetMixin
from renga_data.datasets import DictDataset, SubDataset, TransformDataset, TupleDataset
from renga_distributed.datasets import DataSizeError, create_empty_dataset, scatter_dataset, scatter_index
from renga_distributed.threads import launch


def scatter(dataset, size, root=0, **options):
    """What each rank gets, as lists of examples; only the root has the data set."""
    return launch(
        lambda comm: list(scatter_dataset(dataset if comm.rank == root else None, comm, root=root, **options)), size
    )


SIZES = st.integers(1, 4)


@given(n=st.integers(0, 40), size=SIZES, equal=st.booleans(), shuffle=st.booleans(), data=st.data())
def test_no_example_is_lost(n, size, equal, shuffle, data):
    root = data.draw(st.integers(0, size - 1))
    parts = scatter(list(range(n)), size, root, shuffle=shuffle, seed=3, force_equal_length=equal)
    everything = [example for part in parts for example in part]
    assert set(everything) == set(range(n))
    lengths = [len(part) for part in parts]
    if equal:
        assert lengths == [-(-n // size)] * size
        assert n < size or max(everything.count(i) for i in range(n)) <= 2
    else:
        assert len(everything) == n
        assert max(lengths) - min(lengths) <= 1


@given(n=st.integers(0, 40), size=SIZES, equal=st.booleans())
def test_index_is_where_the_part_is(n, size, equal):
    places = launch(lambda comm: scatter_index(n if comm.rank == 0 else None, comm, force_equal_length=equal), size)
    assert [list(range(*place)) for place in places] == scatter(list(range(n)), size, force_equal_length=equal)


def test_shuffling_follows_the_seed():
    whole = list(range(20))
    first, again, other = (scatter(whole, 2, shuffle=True, seed=seed) for seed in (5, 5, 6))
    assert first == again != other
    assert first[0] + first[1] == np.random.RandomState(5).permutation(20).tolist()


def test_without_a_seed_renga_decides():
    def parts():
        renga.random.seed(4)
        return scatter(list(range(20)), 1, shuffle=True)

    assert parts() == parts() != [list(range(20))]


class Reading(DatasetMixin):
    """Reads when it is asked; so it is sent as it is."""

    def __len__(self):
        return 7

    def get_example(self, i):
        return f"file {i}"


def plus_one(x):
    return x + 1


WHOLES = {
    "tuple": tuple(range(7)),
    "array": np.arange(21.0).reshape(7, 3),
    "tuples": TupleDataset(np.arange(14).reshape(7, 2), list("abcdefg")),
    "dicts": DictDataset(x=np.arange(7), t=list("abcdefg")),
    "transformed": TransformDataset(np.arange(7), plus_one),
    "part": SubDataset(np.arange(20), 3, 10, np.arange(20)[::-1]),
    "part in order": SubDataset(list(range(20)), 3, 10),
    "reading": Reading(),
    "tuples with reading": TupleDataset(Reading(), list("abcdefg")),
    "transformed reading": TransformDataset(Reading(), str.upper),
    "dicts with reading": DictDataset(x=Reading()),
    "part of reading": SubDataset(Reading(), 0, 7),
}


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("name", WHOLES)
def test_examples_are_those_of_the_whole(name, shuffle):
    whole = WHOLES[name]
    order = np.random.RandomState(1).permutation(7) if shuffle else np.arange(7)
    parts = scatter(whole, 3, shuffle=shuffle, seed=1, force_equal_length=False)
    for example, i in zip([example for part in parts for example in part], order, strict=True):
        np.testing.assert_equal(example, whole[int(i)])


class Counted:
    """Tells how often examples were pickled."""

    pickled = 0

    def __getstate__(self):
        Counted.pickled += 1
        return {"held": True}


@pytest.mark.parametrize("wrap", [list, TupleDataset, lambda x: SubDataset(x, 0, 8)], ids=["list", "tuples", "part"])
def test_a_rank_is_sent_its_part_only(wrap):
    Counted.pickled = 0
    assert [len(part) for part in scatter(wrap([Counted() for _ in range(8)]), 4)] == [2] * 4
    assert Counted.pickled == 6


@pytest.mark.parametrize("whole", [np.arange(100.0), Reading()], ids=["cut", "whole"])
def test_pieces_of_a_few_bytes(whole):
    assert scatter(whole, 3, max_buf_len=7) == scatter(whole, 3)


def test_slices_are_lists_on_every_rank():
    assert launch(lambda comm: scatter_dataset(np.arange(6), comm)[1:], 3) == [[1], [3], [5]]


def test_bad_calls():
    for options, error in [
        ({"root": 2}, ValueError),
        ({"root": -1}, ValueError),
        ({"max_buf_len": 0}, DataSizeError),
        ({"max_buf_len": 2**31}, DataSizeError),
    ]:
        with pytest.raises(error):
            launch(lambda comm, options=options: scatter_dataset([1, 2], comm, **options), 2)
    with pytest.raises(MismatchError, match="root"):
        launch(lambda comm: scatter_dataset([1, 2], comm, root=comm.rank), 2)
    with pytest.raises(ValueError, match="no data set"):
        launch(lambda comm: scatter_dataset(None, comm), 2)
    with pytest.raises(ValueError, match="number of examples"):
        launch(lambda comm: scatter_index(-1, comm), 2)
    with pytest.raises(ValueError, match="root"):
        launch(lambda comm: scatter_index(3, comm, root=5), 2)


def test_an_empty_data_set_calls_a_model_without_arguments():
    empty = create_empty_dataset(range(3))
    assert len(empty) == 3
    assert renga.dataset.concat_examples(empty[:2]) == ()
