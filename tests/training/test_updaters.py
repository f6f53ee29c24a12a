import numpy as np
import pytest

from renga_core.dataset import Iterator
from renga_nn.links import Linear
from renga_optimizers import SGD
from renga_training import StandardUpdater


class FakeIterator(Iterator):
    def __init__(self, batches):
        self.batches = batches
        self.index = 0
        self.finalized = 0

    batch_size, repeat = 1, True
    epoch = property(lambda self: self.index // 2)
    epoch_detail = property(lambda self: self.index / 2)
    previous_epoch_detail = property(lambda self: (self.index - 1) / 2 if self.index else None)
    is_new_epoch = property(lambda self: self.index % 2 == 0)

    def __next__(self):
        if self.index == len(self.batches):
            raise StopIteration
        self.index += 1
        return self.batches[self.index - 1]

    def finalize(self):
        self.finalized += 1

    def __del__(self):
        pass


class FakeTarget:
    device = None

    def to_device(self, device):
        self.device = device


class FakeOptimizer:
    use_auto_new_epoch = False

    def __init__(self):
        self.target = FakeTarget()
        self.calls = []
        self.loss_scale = None

    def update(self, function, *args, **kwargs):
        self.calls.append((function, args, kwargs))

    def new_epoch(self, auto):
        assert auto == self.use_auto_new_epoch
        self.calls.append("new_epoch")

    def set_loss_scale(self, scale):
        self.loss_scale = scale


def make(batches, **options):
    return StandardUpdater(FakeIterator(batches), FakeOptimizer(), **options)


def test_the_target_gets_the_converted_batch():
    updater = make([[(np.float32(1), 2), (np.float32(3), 4)]])
    updater.update()
    function, (x, t), kwargs = updater.get_optimizer("main").calls[0]
    assert function is updater.get_optimizer("main").target
    assert (x.tolist(), t.tolist(), kwargs) == ([1, 3], [2, 4], {})
    assert updater.iteration == 1


@pytest.mark.parametrize(
    ("converted", "args", "kwargs"), [((1, 2), (1, 2), {}), ({"x": 1}, (), {"x": 1}), ([1, 2], ([1, 2],), {})]
)
def test_tuples_dictionaries_and_single_arguments(converted, args, kwargs):
    seen = []

    def convert(batch, device):
        seen.append((batch, device))
        return converted

    loss = object()
    updater = make(["batch"], converter=convert, device="somewhere", loss_func=loss)
    updater.update()
    optimizer = updater.get_optimizer("main")
    assert seen == [("batch", "somewhere")]
    assert optimizer.calls == [(loss, args, kwargs)]
    assert optimizer.target.device == "somewhere"


def test_epochs_are_those_of_the_iterator():
    updater = make([[1]] * 4)
    assert updater.previous_epoch_detail == 0.0
    for _ in range(3):
        updater.update()
    assert (updater.epoch, updater.epoch_detail, updater.previous_epoch_detail) == (1, 1.5, 1.0)
    assert not updater.is_new_epoch
    calls = updater.get_optimizer("main").calls
    assert [call == "new_epoch" for call in calls] == [False, False, True, False]


def test_without_auto_new_epoch():
    updater = make([[1]] * 4, auto_new_epoch=False)
    for _ in range(4):
        updater.update()
    assert "new_epoch" not in updater.get_optimizer("main").calls


def test_loss_scale():
    assert make([], loss_scale=8.0).get_optimizer("main").loss_scale == 8.0


def test_an_iterator_that_ends():
    with pytest.raises(RuntimeError, match="repeat=True"):
        make([]).update()


def test_several_of_each_and_finalize():
    iterators = {"main": FakeIterator([]), "other": FakeIterator([])}
    optimizers = {"main": FakeOptimizer(), "other": FakeOptimizer()}
    updater = StandardUpdater(iterators, optimizers)
    assert updater.get_iterator("other") is iterators["other"]
    assert updater.get_all_optimizers() == optimizers
    updater.finalize()
    assert [iterator.finalized for iterator in iterators.values()] == [1, 1]


@pytest.mark.parametrize("accumulate", [1, 2])
def test_stop_iteration_out_of_the_converter_is_an_error(accumulate):
    """Let through, it would be the end of a generator or a ``map`` in which a run is made."""

    class Convert:
        def __call__(self, batch, device=None):
            return next(iter(()))

    model = Linear(2, 2)
    optimizer = SGD().setup(model)
    updater = StandardUpdater(FakeIterator([[1], [2]]), optimizer, converter=Convert(), accumulate=accumulate)
    with pytest.raises(RuntimeError, match=r"the converter .*Convert raised StopIteration"):
        updater.update()
