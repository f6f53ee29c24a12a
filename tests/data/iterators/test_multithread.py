import copy
import os
import signal
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from renga_data.iterators import MultithreadIterator, SerialIterator
from renga_serializers.npz import DictionarySerializer, NpzDeserializer


def state(iterator):
    return (
        iterator.current_position,
        iterator.epoch,
        iterator.is_new_epoch,
        iterator.epoch_detail,
        iterator.previous_epoch_detail,
    )


def reload(iterator, into):
    serializer = DictionarySerializer()
    serializer.save(iterator)
    NpzDeserializer(serializer.target).load(into)


@settings(max_examples=60)
@given(
    n=st.integers(1, 12),
    batch_size=st.integers(1, 15),
    repeat=st.booleans(),
    shuffle=st.booleans(),
    n_threads=st.integers(1, 3),
    n_prefetch=st.integers(0, 4),
    seed=st.integers(0, 2**63),
    actions=st.lists(st.sampled_from(["next", "next", "next", "reset", "resume", "finalize", "copy"]), max_size=20),
)
def test_does_what_a_serial_iterator_does(n, batch_size, repeat, shuffle, n_threads, n_prefetch, seed, actions):
    def make(seed):
        return MultithreadIterator(range(n), batch_size, repeat, shuffle, n_threads, n_prefetch=n_prefetch, seed=seed)

    iterator, reference = make(seed), SerialIterator(range(n), batch_size, repeat, shuffle, seed=seed)
    for action in actions:
        if action == "next":
            assert next(iterator, None) == next(reference, None)
        elif action == "reset":
            iterator.reset()
            reference.reset()
        elif action == "resume":
            # A process that is started again: some batches are under way in it, too.
            resumed = make(seed + 1)
            next(resumed, None)
            reload(iterator, into=resumed)
            iterator.finalize()
            iterator = resumed
        elif action == "finalize":
            iterator.finalize()
        else:
            iterator, original = copy.copy(iterator), iterator
            original.finalize()
        assert state(iterator) == state(reference)
    iterator.finalize()


def test_saving_disturbs_nothing():
    iterator, reference = (MultithreadIterator(range(9), 2, seed=3, n_prefetch=2) for _ in range(2))
    for _ in range(20):
        DictionarySerializer().save(iterator)
        assert next(iterator) == next(reference)


class Counted:
    """Notes which examples were asked for, and by which threads."""

    def __init__(self, n):
        self.n = n
        self.asked = []
        self.threads = set()

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        self.asked.append(index)
        self.threads.add(threading.current_thread().name)
        time.sleep(0.001)
        return index


def test_works_ahead_as_far_as_told():
    dataset = Counted(100)
    with MultithreadIterator(dataset, 5, shuffle=False, n_prefetch=2) as iterator:
        assert dataset.asked == []
        next(iterator)
        deadline = time.monotonic() + 10
        while len(dataset.asked) < 15 and time.monotonic() < deadline:
            time.sleep(0.001)
        time.sleep(0.02)
        assert dataset.asked == list(range(15))


def test_threads_share_a_batch_and_end():
    before = set(threading.enumerate())
    dataset = Counted(64)
    with MultithreadIterator(dataset, 32, n_threads=2) as iterator:
        next(iterator)
        assert len(dataset.threads) == 2
    assert set(threading.enumerate()) <= before


def test_threads_of_a_forgotten_iterator_end():
    before = set(threading.enumerate())
    iterator = MultithreadIterator(range(10), 2)
    next(iterator)
    del iterator
    assert set(threading.enumerate()) <= before


def test_an_error_of_the_data_set_comes_when_its_batch_does_and_loses_nothing():
    class Fails(list):
        fails = True

        def __getitem__(self, index):
            if index == 5 and self.fails:
                raise OSError("disk gone")
            return super().__getitem__(index)

    dataset = Fails(range(8))
    with MultithreadIterator(dataset, 2, shuffle=False, n_threads=2, n_prefetch=3) as iterator:
        assert [next(iterator), next(iterator)] == [[0, 1], [2, 3]]
        with pytest.raises(OSError, match="disk gone") as caught:
            next(iterator)
        assert caught.value.__notes__ == [f"This was example 5 of a {Fails.__qualname__}."]
        dataset.fails = False
        assert [next(iterator), next(iterator)] == [[4, 5], [6, 7]]


@pytest.mark.parametrize("arguments", [{"n_threads": 0}, {"n_prefetch": -1}, {"batch_size": 0}])
def test_bad_arguments(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        MultithreadIterator([1, 2], **{"batch_size": 1, **arguments})


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own_and_the_same_order():
    reference = SerialIterator(range(4), 2, seed=1)
    expected = [next(reference) for _ in range(6)]
    with MultithreadIterator(range(4), 2, seed=1, n_prefetch=3) as iterator:
        assert next(iterator) == expected[0]
        pid = os.fork()
        if pid == 0:
            signal.alarm(10)
            os._exit(0 if [next(iterator) for _ in range(5)] == expected[1:] else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert [next(iterator) for _ in range(5)] == expected[1:]
