"""What wraps a plain optimizer, and is one to everybody else."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga import training
from renga.distributed import create_multi_node_optimizer, launch
from renga_core.communicator import MismatchError
from renga_core.optimizer import GradientMethod, Optimizer
from renga_serializers.npz import load_npz, save_npz

WAYS = {"plain": {}, "overlap": {"overlap": True}, "double buffering": {"double_buffering": True}}


class Regression(renga.Chain):
    """Squares of differences; the shapes of parameters may be left open."""

    def __init__(self, seed: int = 0, sizes: tuple[int | None, ...] = (4, 3), dtype=np.float64) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)

        def draw(array) -> None:
            array[...] = rng.normal(size=array.shape)

        draw.dtype = np.dtype(dtype)
        with self.init_scope():
            self.first = L.Linear(sizes[0], 5, initialW=draw, initial_bias=draw)
            self.last = L.Linear(5, sizes[1], initialW=draw, initial_bias=draw)

    def forward(self, x, y):
        return F.mean((self.last(F.tanh(self.first(x))) - y) ** 2)


def batch(rank: int, step: int, dtype=np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([rank, step])
    return rng.normal(size=(6, 4)).astype(dtype), rng.normal(size=(6, 3)).astype(dtype)


def values(model: renga.Link) -> dict[str, np.ndarray]:
    return {path: param.array.copy() for path, param in model.namedparams()}


def assert_alike(found: list) -> None:
    for other in found[1:]:
        np.testing.assert_equal(other, found[0])


# --- being the plain optimizer ----------------------------------------------------------------------------------------


def test_it_is_the_plain_optimizer() -> None:
    def program(communicator):
        plain = renga.optimizers.Adam(alpha=0.5)
        ours = create_multi_node_optimizer(plain, communicator)
        for kind in renga.optimizers.Adam, GradientMethod, Optimizer:
            assert isinstance(ours, kind)
        assert not isinstance(ours, renga.optimizers.SGD)
        assert ours.actual_optimizer is plain
        assert ours.communicator is communicator
        assert ours.alpha == 0.5
        assert ours.target is None
        model = Regression()
        assert ours.setup(model) is ours
        assert ours.target is plain.target is model
        ours.lr = 0.25
        assert plain.hyperparam.alpha == 0.25
        ours.use_auto_new_epoch = True
        ours.new_epoch(auto=True)
        assert (plain.epoch, ours.epoch) == (1, 1)
        ours.loss_scaling(scale=8.0)
        assert plain.loss_scale == 8.0
        ours.update(model, *batch(0, 0))
        assert (plain.t, ours.t) == (1, 1)
        with pytest.raises(AttributeError, match="momentum"):
            ours.momentum  # noqa: B018

    launch(program, 1)


def test_before_setup() -> None:
    def program(communicator):
        with pytest.raises(RuntimeError, match=r"SGD\.update was called before `setup`"):
            create_multi_node_optimizer(renga.optimizers.SGD(), communicator).update(F.sum, np.ones(1))

    launch(program, 1)


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_hooks_see_means(options: dict) -> None:
    def program(communicator):
        model = Regression()
        ours = create_multi_node_optimizer(renga.optimizers.SGD(lr=0.1), communicator, **options).setup(model)
        seen = []
        ours.add_hook(lambda optimizer: seen.append(optimizer.target.last.b.grad.copy()), "look")
        ours.add_hook(lambda optimizer: seen.append(optimizer.t), "count", timing="post")
        for step in range(3):
            ours.update(model, *batch(communicator.rank, step))
        ours.remove_hook("look")
        return seen, values(model)

    found = launch(program, 3)
    assert_alike(found)
    assert len(found[0][0]) == (4 if "double_buffering" in options else 6)


def test_an_optimizer_that_is_no_gradient_method() -> None:
    class Signs(Optimizer):
        def update(self, lossfun=None, *args, **kwds) -> None:
            assert lossfun is None
            for param in self.target.params():
                param.array -= 0.125 * np.sign(param.grad)
            self.t += 1

    def program(communicator):
        model = Regression(communicator.rank)
        ours = create_multi_node_optimizer(Signs(), communicator).setup(model)
        for step in range(3):
            ours.update(model, *batch(communicator.rank, step))
        assert ours.t == 3
        return values(model)

    assert_alike(launch(program, 2))


# --- parameters of rank 0 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("sizes", [(4, 3), (None, 3)], ids=["with shapes", "without"])
def test_the_first_update_is_one_by_the_parameters_of_rank_0(sizes, options: dict) -> None:
    def alone(steps):
        model = Regression(0, sizes)
        plain = renga.optimizers.SGD(lr=0.1).setup(model)
        for step in range(steps):
            both = [batch(rank, step) for rank in range(2)]
            plain.update(model, *(np.concatenate(x) for x in zip(*both, strict=True)))
        return values(model)

    def program(communicator):
        model = Regression(communicator.rank, sizes)
        ours = create_multi_node_optimizer(renga.optimizers.SGD(lr=0.1), communicator, **options).setup(model)
        found = []
        for step in range(2):
            ours.update(model, *batch(communicator.rank, step))
            found.append(values(model))
        return found

    late = "double_buffering" in options
    for one, two in launch(program, 2):
        if not late:
            for path, array in alone(1).items():
                np.testing.assert_allclose(one[path], array, rtol=0, atol=1e-12, err_msg=path)
        for path, array in alone(1 if late else 2).items():
            np.testing.assert_allclose(two[path], array, rtol=0, atol=1e-12, err_msg=path)


def test_moving_averages_move_once_where_the_loss_is_computed_twice() -> None:
    class Normalizing(renga.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.norm = L.BatchNormalization(4, dtype=np.float64)
                self.last = L.Linear(None, 2)

        def forward(self, x):
            return F.sum(self.last(self.norm(x)) ** 2)

    def program(communicator):
        model = Normalizing()
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator).setup(model)
        x = batch(communicator.rank, 0)[0]
        with renga.using_config("dtype", np.dtype(np.float64)):
            ours.update(model, x)
        np.testing.assert_allclose(model.norm.avg_mean, 0.1 * x.mean(axis=0))

    launch(program, 2)


def test_gradients_of_other_parameters_are_not_used() -> None:
    """A program that calls backward itself: as in ChainerMN, the first update only broadcasts, if that was needed."""

    def program(communicator, seed):
        model = Regression(seed * communicator.rank)
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator).setup(model)
        counts = []
        for step in range(2):
            ours.discard_grads()
            model(*batch(communicator.rank, step)).backward()
            ours.update()
            counts.append(ours.t)
        return counts, values(model)

    assert_alike(launch(program, 2, 1))
    assert launch(program, 2, 1)[0][0] == [0, 1]
    assert launch(program, 2, 0)[0][0] == [1, 2]


def test_models_that_differ_are_an_error_on_all_ranks() -> None:
    def program(communicator):
        model = Regression(sizes=(4, 3 + communicator.rank))
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator).setup(model)
        with pytest.raises(MismatchError, match="/last/W"):
            ours.update(lambda: F.sum(model.last.W))

    launch(program, 2)


@pytest.mark.parametrize("differ", [True, False])
def test_a_new_model(differ: bool) -> None:
    def program(communicator):
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=True)
        found = []
        for seed in (0, 10):
            model = Regression(seed + differ * communicator.rank)
            ours.setup(model)
            for step in range(3):
                ours.update(model, *batch(communicator.rank, step))
            found.append(values(model))
        return found

    assert_alike(launch(program, 2))


# --- missing gradients ------------------------------------------------------------------------------------------------


def test_missing_gradients_are_zeros() -> None:
    def program(communicator):
        model = Regression()
        before = model.first.W.array.copy()
        ours = create_multi_node_optimizer(renga.optimizers.SGD(lr=1), communicator).setup(model)
        ours.update(lambda: F.sum(model.first.W) if communicator.rank == 1 else F.sum(model.last.W))
        np.testing.assert_allclose(before - model.first.W.array, 0.5)
        assert model.first.b.grad is not None

    launch(program, 2)


def test_missing_gradients_that_are_not_to_be_zeros() -> None:
    def program(communicator, everywhere):
        model = Regression()
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, zero_fill=False).setup(model)
        ours.update(lambda: F.sum(model.first.W) if everywhere or communicator.rank else F.sum(model.last.W))
        return model.last.W.grad

    assert launch(program, 2, True) == [None, None]
    with pytest.raises(MismatchError, match="/first/W"):
        launch(program, 2, False)


# --- batches of different sizes, several to an update -----------------------------------------------------------------


def test_no_examples_anywhere_is_no_update() -> None:
    def program(communicator):
        model = Regression()
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, weighted=True).setup(model)
        before = values(model)
        ours.update(model, np.ones((0, 4)), np.ones((0, 3)))
        np.testing.assert_equal(values(model), before)
        assert ours.t == 0

    launch(program, 2)


@pytest.mark.parametrize("options", [{"weighted": True}, {"accumulate": 2}])
def test_batches_that_cannot_be_counted(options: dict) -> None:
    def program(communicator):
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, **options).setup(Regression())
        with pytest.raises(ValueError, match="so that the batches are known"):
            ours.update()

    launch(program, 1)


def test_nothing_is_sent_between_updates(monkeypatch) -> None:
    def program(communicator):
        model = Regression()
        ours = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, accumulate=3).setup(model)
        ours.update(model, *batch(0, 0))  # parameters are sent
        sent = []
        communicator._exchange = lambda what, *args, on=communicator._exchange: sent.append(what) or on(what, *args)
        ours.update(model, *batch(0, 1))
        assert (sent, ours.t) == ([], 0)
        ours.update(model, *batch(0, 2))
        assert (bool(sent), ours.t) == (True, 1)

    launch(program, 2)


def test_accumulated_by_the_updater() -> None:
    """`StandardUpdater(accumulate=…)` makes one update, and one communication, of several batches, too."""
    examples = [tuple(x[0] for x in batch(9, step)) for step in range(24)]

    def train(communicator, model, optimizer, batch_size, accumulate):
        mine = examples[communicator.rank :: communicator.size]
        iterator = renga.iterators.SerialIterator(mine, batch_size, shuffle=False)
        updater = training.StandardUpdater(iterator, optimizer, accumulate=accumulate)
        for _ in range(4):
            updater.update()
        return values(model)

    def program(communicator):
        model = Regression(0)
        ours = create_multi_node_optimizer(renga.optimizers.SGD(lr=0.1), communicator).setup(model)
        return train(communicator, model, ours, 2, 3)

    model = Regression(0)
    single = renga.distributed.create_communicator("single")
    expected = train(single, model, renga.optimizers.SGD(lr=0.1).setup(model), 12, 1)
    for found in launch(program, 2):
        for path, array in expected.items():
            np.testing.assert_allclose(found[path], array, rtol=0, atol=1e-12, err_msg=path)


# --- loss scaling -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [*WAYS.values(), {"sharded": True}], ids=[*WAYS, "sharded"])
@pytest.mark.parametrize("wire", [None, "float16", "bfloat16"])
@pytest.mark.parametrize("what", [np.inf, np.nan])
def test_one_rank_overflows_and_all_skip_the_update(what: float, wire: str | None, options: dict) -> None:
    late = "double_buffering" in options

    def program(communicator):
        communicator.set_config("allreduce_grad_dtype", wire)
        model = Regression(dtype=np.float32)
        ours = create_multi_node_optimizer(renga.optimizers.Adam(), communicator, **options).setup(model)
        ours.loss_scaling(interval=1000, initial=1024.0)
        found = []
        for step in range(4):
            factor = np.float32(what if (step, communicator.rank) == (1, 1) else 0)
            ours.update(
                lambda x, y, factor=factor: model(x, y) + F.sum(model.last.b[:1] * factor),
                *batch(communicator.rank, step, np.float32),
            )
            found.append((values(model), ours.loss_scale))
        return found

    for found in launch(program, 2):
        skipped = 2 if late else 1
        np.testing.assert_equal(found[skipped][0], found[skipped - 1][0])
        assert found[skipped][1] == found[skipped - 1][1] / 2
        assert (found[3][0]["/last/b"] != found[skipped][0]["/last/b"]).all()
        assert all(np.isfinite(array).all() for array in found[3][0].values())


def test_half_precision_with_loss_scaling_learns() -> None:
    def program(communicator):
        communicator.set_config("allreduce_grad_dtype", "float16")
        model = Regression(dtype=np.float16)
        optimizer = renga.optimizers.MomentumSGD(lr=0.05)
        optimizer.use_fp32_update()
        ours = create_multi_node_optimizer(optimizer, communicator, overlap=True, sharded=True).setup(model)
        ours.loss_scaling(initial=2.0**15)
        x, y = batch(communicator.rank, 0, np.float16)
        before = float(model(x, y).array)
        for _ in range(60):
            ours.update(model, x, y)
        return before, float(model(x, y).array), values(model)

    found = launch(program, 2)
    assert sum(after for _, after, _ in found) < 0.3 * sum(before for before, _, _ in found)
    assert_alike([parameters for *_, parameters in found])


# --- training ---------------------------------------------------------------------------------------------------------


def digits_model() -> renga.Chain:
    model = L.Classifier(renga.Sequential(L.Linear(64, 40), F.relu, L.Linear(40, 10)))
    rng = np.random.default_rng(3)
    for param in model.params():
        param.array = (rng.normal(size=param.shape) / np.sqrt(param.shape[-1])).astype(np.float32)
    return model


def learn_digits(communicator, wire: str | None, options: dict) -> tuple[float, dict[str, np.ndarray]]:
    """Train for some epochs; the loss on what was not learned from, and the parameters."""
    communicator.set_config("allreduce_grad_dtype", wire)
    train, test = renga.datasets.get_digits()
    mine = [train[i] for i in range(communicator.rank, len(train) // 2 * 2, communicator.size)]
    model = digits_model()
    ours = create_multi_node_optimizer(renga.optimizers.MomentumSGD(lr=0.02), communicator, **options).setup(model)
    iterator = renga.iterators.SerialIterator(mine, 64 // communicator.size, shuffle=False)
    updater = training.StandardUpdater(iterator, ours)
    while updater.epoch < 12:
        updater.update()
    assert ours.epoch == 12
    x, t = (np.stack(column) for column in zip(*test, strict=True))
    with renga.using_config("train", False):
        return float(model(x, t).array), values(model)


@pytest.mark.parametrize("wire", ["float16", "bfloat16"])
def test_gradients_in_16_bits_learn_as_those_in_32(wire: str) -> None:
    (full, parameters), _ = launch(learn_digits, 2, None, {})
    (half, rounded), (_, other) = launch(learn_digits, 2, wire, {})
    assert half == pytest.approx(full, rel=0.02)
    np.testing.assert_equal(rounded, other)
    assert any((rounded[path] != parameters[path]).any() for path in parameters)


def test_double_buffering_learns() -> None:
    (loss, _), _ = launch(learn_digits, 2, None, {})
    (late, one), (_, other) = launch(learn_digits, 2, None, {"double_buffering": True})
    np.testing.assert_equal(one, other)
    assert late < 1.2 * loss


@pytest.mark.parametrize("options", [*WAYS.values(), {"sharded": True}], ids=[*WAYS, "sharded"])
def test_a_trainer_resumes_to_the_bit(options: dict, tmp_path: Path) -> None:
    examples = [tuple(x[0].astype(np.float32) for x in batch(5, step)) for step in range(20)]

    def program(communicator):
        def make():
            model = Regression(dtype=np.float32)
            ours = create_multi_node_optimizer(renga.optimizers.Adam(), communicator, **options).setup(model)
            iterator = renga.iterators.SerialIterator(examples[communicator.rank :: 2], 3, seed=1)
            updater = training.StandardUpdater(iterator, ours)
            return model, training.Trainer(updater, (12, "iteration"), out=tmp_path / str(communicator.rank))

        model, trainer = make()
        file = io.BytesIO()
        take = training.make_extension(trigger=(5, "iteration"))(lambda t: file.tell() or save_npz(file, t))
        trainer.extend(take, name="take")
        trainer.run()
        resumed, other = make()
        other.extend(training.make_extension(trigger=(100, "iteration"))(lambda t: None), name="take")
        file.seek(0)
        load_npz(file, other)
        assert other.updater.iteration == 5
        other.run()
        np.testing.assert_equal(values(resumed), values(model))
        return values(model)

    assert_alike(launch(program, 2))
