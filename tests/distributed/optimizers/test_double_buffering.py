"""Gradients that are used one update late."""

from __future__ import annotations

import io
import threading

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.distributed import create_multi_node_optimizer, launch
from renga_core.communicator import MismatchError
from renga_distributed import threads
from renga_serializers.npz import load_npz, save_npz

STEPS = 8
TARGET = np.arange(12.0).reshape(3, 4)


class Model(renga.Chain):
    """The loss is a square, of which the gradient is easy to write down."""

    def __init__(self, dtype=np.float64) -> None:
        super().__init__()
        with self.init_scope():
            self.W = renga.Parameter(np.zeros((3, 4), dtype))
            self.spare = renga.Parameter(np.ones(2, dtype))

    def forward(self, x):
        return F.sum((self.W - x) ** 2) / 2


def batch(rank: int, step: int) -> np.ndarray:
    return TARGET + np.random.default_rng([rank, step]).normal(size=TARGET.shape)


def stale_sgd(size: int, lr: float, momentum: float) -> list[np.ndarray]:
    """The parameter after each step, written down by hand: the gradient is W − x, of the step before."""
    weight, velocity, late, found = np.zeros(TARGET.shape), np.zeros(TARGET.shape), None, []
    for step in range(STEPS):
        gradient = weight - sum(batch(rank, step) for rank in range(size)) / size
        if late is not None:
            velocity = momentum * velocity - lr * late
            weight = weight + velocity
        late = gradient
        found.append(weight)
    return found


@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("bucket_bytes", [0, None])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_against_stale_gradients_by_hand(size: int, bucket_bytes: int | None, sharded: bool) -> None:
    def program(communicator):
        communicator.set_config("bucket_bytes", bucket_bytes)
        model = Model()
        optimizer = create_multi_node_optimizer(
            renga.optimizers.MomentumSGD(lr=0.2, momentum=0.5), communicator, double_buffering=True, sharded=sharded
        ).setup(model)
        found = []
        for step in range(STEPS):
            optimizer.update(model, batch(communicator.rank, step))
            assert optimizer.t == step  # the first changes nothing
            found.append(model.W.array.copy())
        return found

    for found in launch(program, size):
        np.testing.assert_allclose(found, stale_sgd(size, 0.2, 0.5), rtol=0, atol=1e-12)


def test_means_are_computed_while_the_next_batch_is(monkeypatch) -> None:
    """A rank that is in its next forward does not wait for one that has not begun its last means."""
    order: list[str] = []
    mean = threads.ThreadsCommunicator.mean

    def slow_mean(self, arrays):
        if self.rank == 0:
            order.append("mean begins")
            assert computing.wait(10)
            order.append("mean ends")
        return mean(self, arrays)

    computing = threading.Event()
    monkeypatch.setattr(threads.ThreadsCommunicator, "mean", slow_mean)

    def program(communicator):
        model = Model()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, double_buffering=True)
        optimizer.setup(model)
        optimizer.update(model, TARGET)

        def loss(x):
            if communicator.rank == 0:
                order.append("next batch")
                computing.set()
            return model(x)

        optimizer.update(loss, TARGET)

    launch(program, 2)
    assert order.index("next batch") < order.index("mean ends")


@pytest.mark.parametrize("sharded", [False, True])
def test_resume_to_the_bit(sharded: bool) -> None:
    """A snapshot has the gradients that are on their way."""

    def program(communicator):
        def make():
            model = Model()
            options = {"double_buffering": True, "sharded": sharded}
            return model, create_multi_node_optimizer(renga.optimizers.Adam(), communicator, **options).setup(model)

        def steps(model, optimizer, begin, end):
            for step in range(begin, end):
                optimizer.update(model, batch(communicator.rank, step))

        model, optimizer = make()
        steps(model, optimizer, 0, 3)
        of_model, of_optimizer = io.BytesIO(), io.BytesIO()
        save_npz(of_model, model)
        save_npz(of_optimizer, optimizer)
        steps(model, optimizer, 3, 6)
        resumed, other = make()
        of_model.seek(0)
        of_optimizer.seek(0)
        load_npz(of_model, resumed)
        load_npz(of_optimizer, other)
        steps(resumed, other, 3, 6)
        assert other.t == optimizer.t
        np.testing.assert_array_equal(resumed.W.array, model.W.array)
        of_optimizer.seek(0)
        plain = renga.optimizers.Adam().setup(Model())
        load_npz(of_optimizer, plain)  # which has no use for them
        assert plain.t == 2

    launch(program, 2)


def test_nothing_on_its_way_is_saved_as_such() -> None:
    def program(communicator):
        model = Model()
        make = lambda: create_multi_node_optimizer(renga.optimizers.SGD(), communicator, True).setup(model)  # noqa: E731
        optimizer, file = make(), io.BytesIO()
        save_npz(file, optimizer)
        file.seek(0)
        other = make()
        other.update(model, TARGET)
        load_npz(file, other)
        before = model.W.array.copy()
        other.update(model, TARGET)
        np.testing.assert_array_equal(model.W.array, before)

    launch(program, 2)


def test_late_gradients_are_divided_by_the_scale_they_were_multiplied_by() -> None:
    def program(communicator, scaled):
        model = Model()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(lr=0.2), communicator, double_buffering=True)
        optimizer.setup(model)
        if scaled:
            optimizer.loss_scaling(interval=1, initial=2.0)  # doubles in each update
        for step in range(STEPS):
            optimizer.update(model, batch(communicator.rank, step))
        assert optimizer.loss_scale == (2.0**STEPS if scaled else None)
        return model.W.array

    plain, scaled = launch(program, 2, False), launch(program, 2, True)
    np.testing.assert_array_equal(plain, scaled)  # powers of two


def test_zeros_instead_of_gradients_in_place() -> None:
    """`use_cleargrads(False)` writes zeros into gradients, and must not write them into those on their way."""

    def program(communicator):
        model = Model()
        optimizer = create_multi_node_optimizer(
            renga.optimizers.MomentumSGD(lr=0.2, momentum=0.5), communicator, double_buffering=True
        ).setup(model)
        optimizer.use_cleargrads(False)
        for step in range(STEPS):
            optimizer.update(model, batch(communicator.rank, step))
        return model.W.array

    for found in launch(program, 2):
        np.testing.assert_allclose(found, stale_sgd(2, 0.2, 0.5)[-1], rtol=0, atol=1e-12)


def test_parameters_that_come_later_begin_anew() -> None:
    """ChainerMN: when there are new parameters, they are broadcast and what is on its way is not used."""

    class Growing(renga.Chain):
        def __init__(self, seed):
            super().__init__()
            rng = np.random.default_rng(seed)
            draw = lambda array: array.__setitem__(..., rng.normal(size=array.shape))  # noqa: E731
            with self.init_scope():
                self.first = L.Linear(4, 4)
                self.later = L.Linear(None, 2, initialW=draw)

        def forward(self, x, later):
            y = self.first(x)
            return F.sum((self.later(y) if later else y) ** 2)

    def program(communicator):
        model = Growing(communicator.rank)
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, double_buffering=True)
        optimizer.setup(model)
        x = batch(communicator.rank, 0).astype(np.float32)
        for later in (False, False, True):
            optimizer.update(model, x, later)
        assert optimizer.t == 1
        optimizer.update(model, x, True)
        assert optimizer.t == 2
        return [param.array for param in model.params()]

    one, other = launch(program, 2)
    np.testing.assert_equal(one, other)


def test_missing_gradients_differ_between_ranks() -> None:
    def program(communicator):
        model = Model()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, True, zero_fill=False)
        optimizer.setup(model)
        optimizer.update(model, TARGET)
        assert model.spare.grad is None
        optimizer.update(lambda x: model(x) + (F.sum(model.spare) if communicator.rank else 0), TARGET)

    with pytest.raises(MismatchError, match="/spare"):
        launch(program, 2)


def test_gradients_on_their_way_are_not_used() -> None:
    """A parameter that has a gradient for the first time has none of the batch before."""

    def program(communicator):
        model = Model()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(lr=1), communicator, True, zero_fill=False)
        optimizer.setup(model)
        found = []
        for used in (False, True, False):
            optimizer.update(lambda x, used=used: model(x) + (F.sum(model.spare) if used else 0), TARGET)
            found.append(model.spare.array[0])
        return found

    assert launch(program, 2) == [[1, 1, 0]] * 2


def test_one_or_the_other() -> None:
    with pytest.raises(ValueError, match="choose one"):
        launch(lambda c: create_multi_node_optimizer(renga.optimizers.SGD(), c, True, overlap=True), 1)


def test_what_is_on_its_way_stays_when_saving_or_loading_fails() -> None:
    """The next update uses it as if nobody had tried."""

    class Refusing(renga.serializers.DictionarySerializer):
        def __call__(self, key, value):
            if key == "late_gradients":
                raise OSError("full")
            return super().__call__(key, value)

    def program(communicator, tries):
        model = Model()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, double_buffering=True)
        optimizer.setup(model)
        for step in range(3):
            optimizer.update(model, batch(communicator.rank, step))
            if tries:
                with pytest.raises(OSError, match="full"):
                    Refusing().save(optimizer)
        return model.W.array

    np.testing.assert_array_equal(launch(program, 2, True), launch(program, 2, False))
