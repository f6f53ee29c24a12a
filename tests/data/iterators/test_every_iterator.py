"""What all iterators have in common: no data are lost without a word, threads may share one, copies and pickles."""

import copy
import pickle
import threading
from itertools import chain, islice

import numpy as np
import pytest

from renga_data.datasets import ConcatenatedDataset, DictDataset, SubDataset, TransformDataset, TupleDataset
from renga_data.iterators import MultiprocessIterator, MultithreadIterator, SerialIterator, ShuffleOrderSampler
from renga_data.tabular import TabularDataset, from_data

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")

ITERATORS = {
    "serial": SerialIterator,
    "threads": lambda *args, **kwargs: MultithreadIterator(*args, n_threads=2, **kwargs),
    "processes": lambda *args, **kwargs: MultiprocessIterator(*args, n_processes=2, start_method="fork", **kwargs),
}


@pytest.fixture(params=ITERATORS)
def make(request):
    return ITERATORS[request.param]


class Ending:
    """A data set with a mistake: a bare ``next`` in it finds nothing from example 30 on."""

    def __init__(self, n=100):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return next(iter([index] if index < 30 else []))


def ending(i):
    return next(iter([i] if i < 30 else []))


DATASETS = {
    "its own": Ending,
    "transform": lambda: TransformDataset(range(100), ending),
    "transform of a part": lambda: SubDataset(TransformDataset(range(100), ending), 0, 100),
    "tuples": lambda: TupleDataset(range(100), Ending()),
    "dictionaries": lambda: DictDataset(x=Ending()),
    "concatenated": lambda: ConcatenatedDataset(Ending(90), range(10)),
    "tabular transform": lambda: from_data(np.arange(100)).transform("x", ending),
    "tabular batch": lambda: from_data(np.arange(100)).transform_batch("x", lambda x: [ending(i) for i in x]),
    "tabular function": lambda: from_data(("x", ending), size=100),
    "tabular column": lambda: from_data(("x", Ending())),
}


@pytest.mark.parametrize("kind", DATASETS)
def test_a_data_set_that_raises_stop_iteration_ends_no_iteration(make, kind):
    seen = []
    with make(DATASETS[kind](), 10, repeat=False, shuffle=False) as iterator:
        with pytest.raises(RuntimeError, match="StopIteration") as caught:
            seen.extend(chain.from_iterable(iterator))
        assert len(seen) == 30
        text = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
        assert type(iterator.dataset).__qualname__ in text
        assert "example 30" in text or "examples [3" in text
        cause = caught.value.__cause__
        assert isinstance(cause, StopIteration) or "StopIteration" in str(cause)  # of a worker: its traceback
        assert iterator.current_position == 30  # nothing has been skipped
        with pytest.raises(RuntimeError):
            next(iterator)


class Short(TabularDataset):
    """Gives less than it was asked for."""

    keys = ("x",)
    mode = None

    def __len__(self):
        return 100

    def get_examples(self, indices, key_indices):
        return ([i for i in indices if i < 30],)


def test_fewer_examples_than_asked_for_are_an_error(make):
    with make(Short(), 20, repeat=False, shuffle=False) as iterator:
        assert len(next(iterator)) == 20
        # Threads and processes share a batch; IndexError: who is asked for one example finds none.
        with pytest.raises((RuntimeError, IndexError), match=r"a Short gave \d+ examples for the|of a Short"):
            next(iterator)


def test_an_order_sampler_that_raises_stop_iteration_ends_no_iteration(make):
    orders = iter([np.arange(6)])
    with make(range(6), 2, order_sampler=lambda order, position: next(orders)) as iterator:
        assert next(iterator) == [0, 1]
        with pytest.raises(RuntimeError, match=r"the order sampler .* raised StopIteration"):
            list(islice(iterator, 6))


def test_a_length_that_raises_stop_iteration_ends_no_iteration(make):
    class Lengthless(Ending):
        def __len__(self):
            return next(lengths)

    lengths = iter([6, 6])
    with (
        pytest.raises(RuntimeError, match=r"of a .*Lengthless raised StopIteration"),
        make(Lengthless(), 2, repeat=False, shuffle=False) as iterator,
    ):
        list(iterator)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("repeat", [False, True])
def test_a_data_set_that_becomes_shorter_within_an_epoch_is_an_error(make, repeat, shuffle):
    data = list(range(10))
    with make(data, 3, repeat=repeat, shuffle=shuffle) as iterator:
        first = next(iterator)
        del data[6:]
        told = r"a list has 6 examples, and had 10 before: .* in epoch 0, at position [36]\. .*reset\(\)"
        for _ in range(2):
            with pytest.raises(RuntimeError, match=told):
                next(iterator)
            assert (iterator.epoch, iterator.current_position, len(first)) == (0, 3, 3)  # no batch is lost
        iterator.reset()
        assert sorted([*next(iterator), *next(iterator)]) == [0, 1, 2, 3, 4, 5]
        assert iterator.epoch == 1


def test_a_data_set_may_become_shorter_between_epochs_and_longer_at_any_time():
    data = list(range(4))
    iterator = SerialIterator(data, 2, shuffle=False)
    assert [next(iterator), next(iterator)] == [[0, 1], [2, 3]]
    del data[3]
    assert [next(iterator), iterator.epoch] == [[0, 1], 1]
    data.append(9)
    assert [next(iterator), iterator.epoch] == [[2, 9], 2]


def test_an_index_that_is_not_there_says_how_many_examples_there_are(make):
    with (
        make([5, 6, 7], 2, order_sampler=lambda order, position: np.array([0, 3])) as iterator,
        pytest.raises(IndexError) as caught,
    ):
        next(iterator)
    assert caught.value.__notes__ == ["This was example 3 of a list. It has 3 examples now."]


@pytest.mark.parametrize("repeat", [False, True])
def test_threads_that_share_an_iterator_get_each_batch_once(make, repeat):
    """As many calls as make three epochs, or until it ends."""
    n, batch_size, taken, calls = 240, 6, [], iter(range(3 * 240 // 6))
    counting = threading.Lock()
    start = threading.Barrier(4)

    def take():
        start.wait()
        while True:
            with counting:
                if next(calls, None) is None:
                    return
            batch = next(iterator, None)
            if batch is None:
                return
            taken.append(batch)

    with make(range(n), batch_size, repeat=repeat) as iterator:
        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(chain(*taken)) == sorted([*range(n)] * (3 if repeat else 1))
    assert iterator.epoch == (3 if repeat else 1)


class Sampler:
    """An order that depends on its arguments only, with something that cannot be copied."""

    def __init__(self):
        self.lock = threading.Lock()

    def order(self, order, position):
        return order[::-1]


def test_a_copy_shares_an_order_sampler_without_a_state(make):
    sampler = Sampler()
    with make([1, 2, 3], 1, repeat=False, order_sampler=sampler.order) as iterator, copy.copy(iterator) as twin:
        assert list(chain(*twin)) == list(chain(*iterator)) == [3, 2, 1]


def test_a_copy_has_an_order_sampler_with_a_state_of_its_own(make):
    with make(range(9), 9, order_sampler=ShuffleOrderSampler(3)) as iterator, copy.copy(iterator) as twin:
        assert [next(twin) for _ in range(3)] == [next(iterator) for _ in range(3)]


@pytest.mark.parametrize("duplicate", [lambda it: pickle.loads(pickle.dumps(it)), copy.deepcopy])
def test_a_pickled_iterator_goes_on_as_the_original_would(make, duplicate):
    with make(list(range(20)), 3, seed=1) as iterator:
        next(iterator)
        with duplicate(iterator) as twin:
            assert twin.epoch_detail == iterator.epoch_detail
            assert [next(twin) for _ in range(9)] == [next(iterator) for _ in range(9)]


def test_it_can_be_put_back_to_where_it_was(make):
    with make(range(10), 3, seed=1) as iterator:
        next(iterator)
        state, epoch_detail = iterator.state, iterator.epoch_detail
        batches = [next(iterator) for _ in range(7)]
        iterator.state = state
        assert iterator.epoch_detail == epoch_detail
        assert [next(iterator) for _ in range(7)] == batches
