"""Whether all ranks get what the master's iterator gives."""

import threading
from itertools import chain

import numpy as np
import pytest

import renga
import renga.functions as F
from renga_core.dataset import Iterator
from renga_data.iterators import MultithreadIterator, SerialIterator
from renga_distributed.iterators import create_multi_node_iterator
from renga_distributed.threads import launch
from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training import Trainer
from renga_training.extensions import LogReport
from renga_training.updaters import StandardUpdater

TOLD = ("batch_size", "repeat", "epoch", "is_new_epoch", "epoch_detail", "previous_epoch_detail", "current_position")


def seen(iterator, count):
    """The first batches and what the iterator tells after each."""
    found = [tell(iterator)]
    for _ in range(count):
        batch = next(iterator, "end")
        found.append((batch, tell(iterator)))
    return found


def tell(iterator):
    return {name: getattr(iterator, name) for name in TOLD}


def shared(comm, dataset, master, make=SerialIterator, **options):
    actual = make(dataset, 3, seed=7, **options) if comm.rank == master else None
    return create_multi_node_iterator(actual, comm, master)


@pytest.mark.parametrize("master", [0, 2])
@pytest.mark.parametrize("repeat", [True, False])
@pytest.mark.parametrize("make", [SerialIterator, MultithreadIterator])
def test_all_see_what_one_process_sees(make, repeat, master):
    dataset = [{"x": i, "name": str(i), "more": [i, None]} for i in range(7)]
    expected = seen(make(dataset, 3, seed=7, repeat=repeat), 5)
    found = launch(lambda comm: seen(shared(comm, dataset, master, make, repeat=repeat), 5), 3)
    assert found == [expected] * 3


def test_arrays_keep_their_dtypes():
    dataset = [(np.full(2, i, np.float64), np.int64(2**40 + i)) for i in range(4)]
    for batch in launch(lambda comm: next(shared(comm, dataset, 1, shuffle=False)), 2):
        assert [x.tolist() for x, _ in batch] == [[0, 0], [1, 1], [2, 2]]
        assert {x.dtype for x, _ in batch} == {np.dtype(np.float64)}
        assert [t for _, t in batch] == [2**40, 2**40 + 1, 2**40 + 2]


def test_reset():
    def program(comm):
        iterator = shared(comm, range(7), 0, repeat=False)
        first = list(chain(*iterator))
        iterator.reset()
        begun = tell(iterator)
        return begun, sorted(first), sorted(chain(*iterator))

    for begun, first, second in launch(program, 2):
        assert begun["epoch"] == begun["epoch_detail"] == begun["current_position"] == 0
        assert begun["previous_epoch_detail"] is None
        assert first == second == list(range(7))


def test_resume_on_every_rank_from_the_masters_file():
    def program(comm):
        whole = shared(comm, range(7), 0)
        seen(whole, 4)
        file = {}
        DictionarySerializer(file).save(whole)
        rest = seen(whole, 5)
        resumed = shared(comm, range(7), 0)
        NpzDeserializer(comm.bcast_obj(file)).load(resumed)
        return rest == seen(resumed, 5)

    assert launch(program, 3) == [True] * 3


def test_own_files_will_do():
    def program(comm):
        whole = shared(comm, range(7), 1)
        seen(whole, 4)
        file = {}
        DictionarySerializer(file).save(whole)
        rest = seen(whole, 5)
        resumed = shared(comm, range(7), 1)
        NpzDeserializer(file).load(resumed)
        return rest == seen(resumed, 5)

    assert launch(program, 2) == [True] * 2


class Simple(Iterator):
    """An iterator of a third party, which does what it must."""

    batch_size = 1

    def __init__(self):
        self.epoch = 0
        self.is_new_epoch = True

    @property
    def epoch_detail(self):
        return float(self.epoch)

    def __next__(self):
        self.epoch += 1
        return [self.epoch]


def test_an_iterator_that_tells_little():
    def program(comm):
        iterator = create_multi_node_iterator(Simple(), comm)
        return next(iterator), next(iterator), iterator.epoch, iterator.repeat, iterator.current_position

    assert launch(program, 2) == [([1], [2], 2, None, None)] * 2


def test_a_trainer_on_every_rank(tmp_path):
    def program(comm):
        model = renga.links.Linear(2, 1)
        model.W.array[...] = 1
        optimizer = renga.optimizers.SGD(0.1).setup(model)
        iterator = shared(comm, np.arange(14, dtype=np.float32).reshape(7, 2) / 14, 0)
        updater = StandardUpdater(iterator, optimizer, loss_func=lambda x: F.mean(model(x) ** 2))
        trainer = Trainer(updater, (3, "epoch"), out=tmp_path / str(comm.rank))
        log = LogReport(filename=None)
        trainer.extend(log)
        trainer.run()
        return model.W.array.tolist(), updater.iteration, [entry["epoch"] for entry in log.log]

    first, second = launch(program, 2)
    assert first == second
    assert first[1:] == (7, [1, 2, 3])


def test_bad_calls():
    with pytest.raises(ValueError, match="rank_master"):
        launch(lambda comm: create_multi_node_iterator(SerialIterator([1], 1), comm, 2), 2)
    with pytest.raises(ValueError, match="gave no iterator"):
        launch(lambda comm: create_multi_node_iterator(None, comm), 2)


def test_threads_that_share_it_get_each_batch_once():
    """Of one rank: threads of several ranks would not ask in one order."""

    def program(comm):
        iterator = create_multi_node_iterator(SerialIterator(range(200), 5, repeat=False), comm)
        taken = []
        threads = [threading.Thread(target=lambda: taken.extend(iterator)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(chain(*taken))

    assert launch(program, 1) == [list(range(200))]
