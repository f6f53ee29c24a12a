import numpy as np
import pytest

from renga_core.backend import Device, get_backend
from renga_core.configuration import config, using_config
from renga_core.graph import Parameter
from renga_core.link import Chain, Link
from renga_core.reporter import Reporter, report
from renga_data.iterators import SerialIterator
from renga_training.extensions import Evaluator


class Part(Link):
    def forward(self, x):
        report({"n": len(x)}, self)
        return x


class Model(Chain):
    def __init__(self):
        super().__init__()
        self.modes = []
        with self.init_scope():
            self.w = Parameter(2.0, ())
            self.part = Part()

    def forward(self, x):
        self.modes.append((config.train, config.enable_backprop))
        y = self.part(x) * self.w
        report({"mean": y.array.mean(), "sum": (y.array.sum(), 1)}, self)
        return y


def make(**options):
    model = Model()
    data = [np.float32(i) for i in range(5)]
    return model, Evaluator(SerialIterator(data, 2, repeat=False, shuffle=False), model, **options)


def test_each_example_counts_once():
    model, evaluator = make()
    with Reporter() as reporter:
        means = evaluator()
    # Batches of 2, 2 and 1: the mean of all examples, not of the batches' means.
    assert means["main/mean"] == 2 * np.mean(range(5))
    assert means["main/sum"] == pytest.approx(20 / 3), "a weight of one's own"
    assert means["main/part/n"] == pytest.approx((2 * 2 + 2 * 2 + 1) / 5)
    assert reporter.observation == means
    assert model.modes == [(False, False)] * 3
    assert (config.train, config.enable_backprop) == (True, True)


def test_again_and_under_a_name():
    _, evaluator = make()
    evaluator.name = evaluator.default_name
    first = evaluator()
    assert first == evaluator()
    assert sorted(first) == ["validation/main/mean", "validation/main/part/n", "validation/main/sum"]


def test_a_hook_a_function_and_a_converter():
    seen = []
    model, evaluator = make(
        eval_hook=lambda e: seen.append(e.get_target("main")),
        eval_func=lambda **arguments: seen.append(arguments),
        converter=lambda batch, device: {"x": len(batch), "device": device},
        device="somewhere",
    )
    assert evaluator() == {}
    assert seen == [model, *({"x": n, "device": "somewhere"} for n in (2, 2, 1))]


def test_it_computes_on_its_device():
    class Place(Device):
        def use(self):
            return using_config("place", "there")

    seen = []
    evaluator = Evaluator(
        SerialIterator([1, 2], 2, repeat=False, shuffle=False),
        Model(),
        converter=lambda batch, device: batch,
        device=Place(get_backend("numpy")),
        eval_func=lambda batch: seen.append(getattr(config, "place", "here")),
    )
    evaluator()
    assert seen == ["there"]
    assert not hasattr(config, "place")


def test_an_iterator_without_reset_is_copied():
    class Once:
        def __init__(self):
            self.left = [[1.0, 3.0], [5.0]]

        def __copy__(self):
            return Once()

        def __iter__(self):
            return self

        def __next__(self):
            if not self.left:
                raise StopIteration
            return np.array(self.left.pop(0), np.float32)

        def finalize(self):
            self.left = None

    evaluator = Evaluator(once := Once(), Model(), converter=lambda batch, device: batch)
    assert evaluator()["main/mean"] == evaluator()["main/mean"] == 6
    evaluator.finalize()
    assert once.left is None


class EndsAtTwo:
    """A data set with a bare ``next`` that finds nothing for examples from 2 on."""

    def __len__(self):
        return 5

    def __getitem__(self, i):
        return next(iter([np.float32(i)] if i < 2 else []))


def test_stop_iteration_out_of_the_data_set_is_an_error():
    model = Model()
    evaluator = Evaluator(SerialIterator(EndsAtTwo(), 2, repeat=False, shuffle=False), model)
    with pytest.raises(RuntimeError, match="example 2 of a EndsAtTwo raised StopIteration"):
        evaluator()
    assert len(model.modes) == 1


def test_stop_iteration_out_of_the_converter_is_an_error():
    def convert(batch, device=None):
        return next(iter(()))

    with pytest.raises(RuntimeError, match=r"the converter .*convert raised StopIteration") as caught:
        make(converter=convert)[1]()
    assert isinstance(caught.value.__cause__, StopIteration)
