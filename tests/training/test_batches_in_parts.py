"""Several batches to an update, and several devices: what one large batch on one device does."""

import numpy as np
import pytest

import renga_core.random
from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.dataset import Iterator
from renga_core.errors import RengaError
from renga_core.link import Sequential
from renga_core.reporter import report
from renga_data.convert import to_device
from renga_data.iterators import SerialIterator
from renga_nn.functions import relu
from renga_nn.links import Classifier, Linear
from renga_optimizers import Adam, MomentumSGD
from renga_optimizers.hooks import GradientClipping, WeightDecay
from renga_serializers.npz import load_npz, save_npz
from renga_testing.every_backend import ready_backends
from renga_training import ParallelUpdater, StandardUpdater, Trainer
from renga_training.extensions import DumpGraph, LogReport
from renga_training.updaters import MultiprocessParallelUpdater

rng = np.random.default_rng(0)
EXAMPLES = [(rng.normal(size=5), np.int32(rng.integers(3))) for _ in range(23)]


@pytest.fixture(autouse=True)
def double_precision():
    with using_config("dtype", np.float64):
        yield


class Net(Classifier):
    """Its parameters have no shapes before the first batch; it reports a number with a weight, and a word."""

    def __init__(self):
        super().__init__(Sequential(Linear(None, 6), relu, Linear(None, 3)))

    def forward(self, x, t):
        loss = super().forward(x, t)
        known = t[t < 2]
        share = float(known.mean()) if len(known) else 0.0
        report({"ones": (share, len(known)), "word": "word", "shape": (1, 2, 3)}, self)
        return loss

    def squares(self, x, t):
        return (self.predictor(x) ** 2).sum() / float(len(t))


def make(updater=StandardUpdater, batch_size=4, optimizer=Adam, repeat=True, iterator=None, **options):
    chosen = optimizer().setup(Net())
    chosen.add_hook(WeightDecay(0.01))
    chosen.add_hook(GradientClipping(0.5))
    if options.get("loss_func") == "squares":
        options["loss_func"] = chosen.target.squares
    batches = iterator or SerialIterator(EXAMPLES, batch_size, repeat=repeat, seed=2)
    return updater(batches, chosen, **options)


def trace(updater, updates):
    """What can be seen of an updater after each update: parameters, what was reported, epochs."""
    renga_core.random.seed(1)  # parameters get their values when the first batch comes
    trainer = Trainer(updater, (updates, "iteration"))
    found = []
    for _ in range(updates):
        trainer.observation = {}
        with trainer.reporter.scope(trainer.observation):
            updater.update()
        optimizer = updater.get_optimizer("main")
        found.append(
            {
                "epochs": (updater.epoch, updater.epoch_detail, updater.previous_epoch_detail, updater.is_new_epoch),
                "optimizer": (optimizer.t, optimizer.epoch, optimizer.loss_scale),
                "reported": {
                    key: float(np.asarray(to_host(getattr(value, "array", value))))
                    for key, value in trainer.observation.items()
                    if not isinstance(value, (str, tuple))
                },
                "weighted": trainer.observation.get("main/ones"),
                **{path: to_host(param.array).copy() for path, param in optimizer.target.namedparams()},
            }
        )
    return found


def assert_same(found, right, reported=True, rtol=1e-9):
    assert len(found) == len(right)
    for mine, theirs in zip(found, right, strict=True):
        assert (mine["epochs"], mine["optimizer"]) == (theirs["epochs"], theirs["optimizer"])
        if reported:
            for key, value in theirs["reported"].items():
                assert mine["reported"][key] == pytest.approx(value, rel=rtol, abs=1e-12), key
            assert mine["weighted"] == pytest.approx(theirs["weighted"])
        for path in theirs:
            if path.startswith("/"):
                np.testing.assert_allclose(mine[path], theirs[path], rtol=rtol, atol=1e-12)


# --- several batches to an update -------------------------------------------------------------------------------------


# 23 examples: epochs end within batches and within updates; with 6 times 5 there is more than one in some updates.
@pytest.mark.parametrize(("batch_size", "accumulate"), [(1, 2), (4, 3), (5, 2), (5, 6), (23, 1)])
@pytest.mark.parametrize("optimizer", [Adam, MomentumSGD])
def test_several_batches_are_one_large_one(batch_size, accumulate, optimizer):
    found = trace(make(batch_size=batch_size, accumulate=accumulate, optimizer=optimizer), 9)
    right = trace(make(batch_size=batch_size * accumulate, optimizer=optimizer), 9)
    if batch_size * accumulate > 23:  # the large iterator says once that epochs are over, the small one each time
        for entry in (*found, *right):
            entry["optimizer"] = ()
    assert_same(found, right)


@pytest.mark.parametrize(("batch_size", "accumulate", "updates"), [(4, 3, 2), (5, 2, 3), (2, 5, 3), (10, 4, 1)])
def test_the_last_update_of_an_iterator_that_ends_has_fewer(batch_size, accumulate, updates):
    small = make(batch_size=batch_size, accumulate=accumulate, repeat=False)
    large = make(batch_size=batch_size * accumulate, repeat=False)
    assert_same(trace(small, updates), trace(large, updates))
    assert small.is_new_epoch
    with pytest.raises(RuntimeError, match="repeat=True"):
        small.update()


class Uneven(Iterator):
    """Batches of given sizes; an epoch is all of them."""

    repeat = True

    def __init__(self, sizes):
        self.sizes, self.count = sizes, 0

    epoch = property(lambda self: self.count // len(self.sizes))
    epoch_detail = property(lambda self: self.count / len(self.sizes))
    previous_epoch_detail = property(lambda self: max(self.count - 1, 0) / len(self.sizes))
    is_new_epoch = property(lambda self: self.count > 0 and self.count % len(self.sizes) == 0)

    def __next__(self):
        start = sum(self.sizes[: self.count % len(self.sizes)])
        size = self.sizes[self.count % len(self.sizes)]
        self.count += 1
        return EXAMPLES[start : start + size]


def test_each_example_counts_alike_in_batches_of_any_size():
    found = trace(make(iterator=Uneven([7, 1, 15]), accumulate=3), 3)
    assert_same(found, trace(make(iterator=Uneven([23])), 3))


@pytest.mark.parametrize("dynamic", [True, False])
def test_with_loss_scaling(dynamic):
    small, large = make(batch_size=3, accumulate=4), make(batch_size=12)
    for updater in (small, large):
        updater.get_optimizer("main").loss_scaling(interval=2, scale=None if dynamic else 1024.0)
    found = trace(small, 5)
    assert_same(found, trace(large, 5))
    assert found[-1]["optimizer"][2] == pytest.approx(2**2.5 if dynamic else 1024)


def test_an_update_with_gradients_that_are_not_finite_is_skipped_whole():
    examples = [*EXAMPLES[:3], (np.full(5, np.inf), np.int32(0)), *EXAMPLES[3:8]]
    updater = make(iterator=SerialIterator(examples, 1, shuffle=False), accumulate=3)
    updater.get_optimizer("main").loss_scaling()
    with np.errstate(all="ignore"):
        found = trace(updater, 3)
    np.testing.assert_array_equal(found[0]["/predictor/0/W"], found[1]["/predictor/0/W"])
    assert not np.array_equal(found[1]["/predictor/0/W"], found[2]["/predictor/0/W"])


def test_logs_and_triggers_are_those_of_large_batches(tmp_path):
    logs = []
    for name, options in (("small", {"batch_size": 3, "accumulate": 3}), ("large", {"batch_size": 9})):
        renga_core.random.seed(1)
        trainer = Trainer(make(**options), (4, "epoch"), tmp_path / name)
        trainer.extend(LogReport())
        trainer.run()
        log = trainer.get_extension("LogReport").log
        logs.append([{key: value for key, value in entry.items() if key != "elapsed_time"} for entry in log])
    small, large = logs
    assert [entry["iteration"] for entry in small] == [entry["iteration"] for entry in large] == [3, 6, 8, 11]
    for mine, theirs in zip(small, large, strict=True):
        assert mine == pytest.approx(theirs)


def params(trainer):
    return list(trainer.updater.get_optimizer("main").target.params())


@pytest.mark.parametrize("cut", [1, 2, 3, 5])
def test_resumed(tmp_path, cut):
    """Also the epochs: the update after which the file was written may have ended one."""

    def extended(stop):
        renga_core.random.seed(1)
        trainer = Trainer(make(batch_size=3, accumulate=4), (stop, "iteration"), tmp_path)
        trainer.extend(lambda trainer: fired.append(trainer.updater.iteration), name="tell", trigger=(1, "epoch"))
        return trainer

    fired = []
    whole = extended(7)
    whole.run()
    expected, fired = fired, []
    first, second = extended(cut), extended(7)
    first.run()
    save_npz(tmp_path / "state.npz", first)
    load_npz(tmp_path / "state.npz", second)
    assert second.updater.is_new_epoch == first.updater.is_new_epoch
    assert second.updater.previous_epoch_detail == first.updater.previous_epoch_detail
    second.run()
    assert fired == expected
    for mine, theirs in zip(params(second), params(whole), strict=True):
        np.testing.assert_array_equal(mine.array, theirs.array)


def test_parameters_that_a_loss_does_not_need_have_no_gradient():
    updater = make(accumulate=2)
    updater.get_optimizer("main").target.add_link("spare", Linear(2, 2))
    updater.update()
    assert updater.get_optimizer("main").target.spare.W.grad is None


def test_parameters_may_have_gradients_of_zeros_instead():
    updater = make(accumulate=2)
    optimizer = updater.get_optimizer("main")
    optimizer.target.add_link("spare", Linear(2, 2))
    optimizer.setup(optimizer.target).use_cleargrads(False)
    for _ in range(2):
        updater.update()
        assert optimizer.target.spare.W.grad.tolist() == [[0, 0], [0, 0]]


def test_the_graph_of_the_last_part_can_be_drawn(tmp_path):
    trainer = Trainer(make(accumulate=2), (2, "iteration"), tmp_path)
    trainer.extend(DumpGraph("main/loss"))
    trainer.run()
    assert "Linear" in (tmp_path / "cg.dot").read_text()


def test_without_a_reporter():
    updater = make(accumulate=2)
    updater.update()
    assert updater.iteration == 1


def test_no_batch_at_all():
    with pytest.raises(ValueError, match="accumulate must be at least 1, not 0"):
        make(accumulate=0)


# --- several devices --------------------------------------------------------------------------------------------------


def devices(count, name="numpy"):
    return {"main": name, **{f"device {i}": name for i in range(1, count)}}


def test_one_device_is_standard_updater_bit_for_bit():
    found, right = trace(make(ParallelUpdater, devices=devices(1)), 7), trace(make(), 7)
    for mine, theirs in zip(found, right, strict=True):
        assert str(mine) == str(theirs)


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("options", [{}, {"loss_func": "squares"}, {"loss_scale": 64.0}, {"accumulate": 3}])
def test_any_number_of_devices_is_one(count, options):
    """6 devices share batches of 4: some get nothing."""
    plain = {key: value for key, value in options.items() if key != "accumulate"}
    found = trace(make(ParallelUpdater, devices=devices(count), **options), 7)
    right = trace(make(batch_size=4 * options.get("accumulate", 1), **plain), 7)
    assert_same(found, right, reported=options.get("loss_func") is None)


@pytest.mark.parametrize("name", ready_backends())
@pytest.mark.parametrize("main", [True, False])
def test_devices_of_several_kinds(name, main):
    with using_config("dtype", np.float32):
        pair = {"main": name, "second": "numpy"} if main else {"second": name, "main": "numpy"}
        found = trace(make(ParallelUpdater, devices=pair, converter=single), 5)
        assert_same(found, trace(make(converter=single), 5), rtol=2e-4)


def single(batch, device):
    x, t = zip(*batch, strict=True)
    return to_device(device, np.float32(x)), to_device(device, np.int32(t))


def test_models_made_by_the_program():
    updater = make()
    main = updater.get_optimizer("main")
    other = Net()
    parallel = ParallelUpdater(updater.get_iterator("main"), main, models={"second": other, "main": main.target})
    found = trace(parallel, 5)
    assert_same(found, trace(make(), 5))
    assert other.predictor[0].W.array is not main.target.predictor[0].W.array


def test_the_copies_follow_what_is_loaded(tmp_path):
    parallel = make(ParallelUpdater, devices=devices(2))
    trace(parallel, 3)
    save_npz(tmp_path / "state.npz", parallel)
    again = make(ParallelUpdater, devices=devices(2))
    load_npz(tmp_path / "state.npz", again)
    np.testing.assert_equal(trace(again, 3)[-1], trace(parallel, 3)[-1])


def test_mistakes_about_devices():
    with pytest.raises(ValueError, match="give devices"):
        make(ParallelUpdater)
    with pytest.raises(ValueError, match="'main' is missing in a, b"):
        make(ParallelUpdater, devices={"a": "numpy", "b": "numpy"})
    with pytest.raises(ValueError, match="models main but devices main, device 1"):
        make(ParallelUpdater, models={"main": Net()}, devices=devices(2))
    with pytest.raises(ValueError, match="not the target of the main optimizer"):
        make(ParallelUpdater, models={"main": Net()})


def test_processes_are_started_by_a_launcher():
    assert not MultiprocessParallelUpdater.available()
    with pytest.raises(RengaError, match=r"renga\.distributed.*ParallelUpdater"):
        MultiprocessParallelUpdater([None, None], None, devices=["cupy:0", "cupy:1"])
