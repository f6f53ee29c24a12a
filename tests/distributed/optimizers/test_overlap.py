"""Gradients that are averaged while backward still runs."""

from __future__ import annotations

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.distributed import create_multi_node_optimizer, launch
from renga.distributed.links import MultiNodeBatchNormalization
from renga_core.communicator import MismatchError
from renga_distributed import threads

STEPS = 5


class Chain(renga.Chain):
    """Layers one after the other; some ranks may leave some out, or take them in another order."""

    def __init__(self, seed: int = 0, layers: int = 5, dtype=np.float32) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        with self.init_scope():
            for i in range(layers):
                setattr(self, f"l{i}", L.Linear(4, 4))
        for param in self.params():
            param.array = rng.normal(size=param.shape).astype(dtype)
        self.order = range(layers)

    def forward(self, x):
        for i in self.order:
            x = F.tanh(self[f"l{i}"](x))
        return F.sum(x * x)


def data(rank: int, step: int, dtype=np.float32) -> np.ndarray:
    return np.random.default_rng([rank, step]).normal(size=(3, 4)).astype(dtype)


def train(communicator, options: dict, orders: dict | None = None, bucket_bytes: int = 100) -> list[np.ndarray]:
    communicator.set_config("bucket_bytes", bucket_bytes)
    model = Chain()
    model.order = (orders or {}).get(communicator.rank, model.order)
    optimizer = create_multi_node_optimizer(renga.optimizers.MomentumSGD(), communicator, **options).setup(model)
    for step in range(STEPS):
        optimizer.update(model, data(communicator.rank, step))
    return [param.array for param in model.params()]


ORDERS = {
    "alike": None,
    "the other way round": {1: range(4, -1, -1)},
    "shuffled": {0: [2, 0, 1, 4, 3], 1: [4, 3, 0, 1, 2], 2: [0, 4, 2, 1, 3]},
    "some missing": {0: [1, 2], 1: [4, 0], 2: []},
    "some twice": {0: [0, 1, 0, 2, 3], 2: [4, 4, 3]},
}


@pytest.mark.parametrize("bucket_bytes", [0, 90, 10**6])
@pytest.mark.parametrize("orders", ORDERS.values(), ids=ORDERS)
def test_the_same_to_the_bit_whatever_the_order_of_arrival(orders: dict | None, bucket_bytes: int) -> None:
    plain = launch(train, 3, {}, orders, bucket_bytes)
    overlapped = launch(train, 3, {"overlap": True}, orders, bucket_bytes)
    for expected, found in zip(plain, overlapped, strict=True):
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_buckets_begin_while_backward_runs(monkeypatch) -> None:
    """All but the last bucket have begun when the gradient of the first layer's input is computed."""
    begun: list[int] = []
    monkeypatch.setattr(
        threads.ThreadsCommunicator,
        "imean",
        lambda self, arrays, imean=threads.ThreadsCommunicator.imean: (
            begun.extend([len(arrays)] if arrays else []) or imean(self, arrays)
        ),
    )

    class Marked(renga.FunctionNode):
        def forward(self, xs):
            return (xs[0] + 0,)

        def backward(self, targets, gys):
            at_the_end.append(len(begun))
            return gys

    def program(communicator):
        communicator.set_config("bucket_bytes", 60)  # a W of 64, or a b of 16 bytes
        model = Chain()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=True).setup(model)
        for step in range(2):
            begun.clear()
            at_the_end.clear()
            x = renga.Variable(data(0, step))
            optimizer.update(lambda x: model(Marked().apply((x,))[0]), x)
            first = step == 0
            assert (at_the_end, len(begun)) == (([0], 0) if first else ([len(begun)], len(begun)))
        assert len(begun) >= 5

    at_the_end: list[int] = []
    launch(program, 1)


def test_the_order_is_that_of_rank_0() -> None:
    """Parameters of one bucket are those that arrive after each other there, last layer first."""

    def program(communicator):
        communicator.set_config("bucket_bytes", 80)  # one layer: 16 numbers and 4
        model = Chain()
        if communicator.rank == 1:
            model.order = range(4, -1, -1)
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=True).setup(model)
        optimizer.update(model, data(0, 0))
        paths = {param: path for path, param in model.namedparams()}
        return [sorted(paths[param] for param in bucket) for bucket in optimizer._exchange._buckets]

    expected = [[f"/l{i}/W", f"/l{i}/b"] for i in range(4, -1, -1)]
    assert launch(program, 2) == [expected] * 2


def test_forgotten_parts_of_the_graph() -> None:
    """Parameters that are used in a part of the graph that is computed again."""

    class Forgetting(Chain):
        def forward(self, x):
            x = F.tanh(self.l0(x))
            x = F.forget(lambda x: F.tanh(self.l1(F.tanh(self.l2(x)))), x)
            return F.sum(self.l3(F.tanh(self.l1(x))) ** 2)  # l1 is used in there and here

    def program(communicator, overlap):
        communicator.set_config("bucket_bytes", 60)
        model = Forgetting(dtype=np.float64)
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=overlap).setup(model)
        for step in range(3):
            optimizer.update(model, data(communicator.rank, step, np.float64))
        return [param.array for param in model.params()]

    for expected, found in zip(launch(program, 2, False), launch(program, 2, True), strict=True):
        np.testing.assert_equal(found, expected)


def test_a_gradient_that_is_changed_behind_its_back() -> None:
    """By a loss whose backward writes a `grad` itself: what was sent is not what is there."""

    class Meddling(renga.FunctionNode):
        def forward(self, xs):
            return (xs[0] + 0,)

        def backward(self, targets, gys):
            return gys

    def program(communicator):
        communicator.set_config("bucket_bytes", 0)
        model = Chain()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=True).setup(model)
        optimizer.update(model, data(0, 0))
        exchange = optimizer._exchange
        average = exchange.average

        def meddle(actual):
            model.l4.b.grad = model.l4.b.grad * 2
            return average(actual)

        exchange.average = meddle
        with pytest.raises(RuntimeError, match="gradient of b was changed after backward"):
            optimizer.update(model, data(0, 1))

    launch(program, 2)


def test_without_zeros_for_missing_gradients() -> None:
    """Parameters without a gradient on all ranks are passed over; on some ranks, that is an error on all."""

    def program(communicator, orders):
        communicator.set_config("bucket_bytes", 100)
        model = Chain()
        before = {path: param.array.copy() for path, param in model.namedparams()}
        options = {"overlap": True, "zero_fill": False}
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, **options).setup(model)
        for step, order in enumerate(orders):
            model.order = order[communicator.rank]
            optimizer.update(model, data(communicator.rank, step))
        return {path for path, param in model.namedparams() if (param.array != before[path]).any()}

    alike = [[[0, 2], [0, 2]], [[3, 2], [3, 2]]]
    assert launch(program, 2, alike) == [{f"/l{i}/{name}" for i in (0, 2, 3) for name in "Wb"}] * 2
    for order in [0, 2], [0, 2, 3]:
        with pytest.raises(MismatchError):
            launch(program, 2, [[[0, 2], [0, 2]], [[0, 2, 4], order]])


def test_gradients_that_the_program_computes() -> None:
    def program(communicator, overlap):
        model = Chain()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=overlap).setup(model)
        for step in range(3):
            optimizer.discard_grads()
            model(data(communicator.rank, step)).backward()
            optimizer.update()
        return [param.array for param in model.params()]

    np.testing.assert_equal(launch(program, 2, True), launch(program, 2, False))


def test_ranks_may_be_at_different_collectives_of_the_model_when_gradients_arrive() -> None:
    """Rank 0's first gradient is there before batch normalization communicates in backward, rank 1's is not."""

    class Normalized(renga.Chain):
        def __init__(self, communicator) -> None:
            super().__init__()
            with self.init_scope():
                self.first = L.Linear(4, 4)
                self.bn = MultiNodeBatchNormalization(4, communicator)
                self.on_rank_0 = L.Linear(4, 1)

    def program(communicator, overlap):
        communicator.set_config("bucket_bytes", 0)
        model = Normalized(communicator)
        for param in model.params():
            param.array = np.linspace(0.0, 1.0, param.size, dtype=np.float32).reshape(param.shape)
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=overlap).setup(model)

        def loss(x):
            y = F.sum(model.bn(model.first(x)) ** 3)
            return y + F.sum(model.on_rank_0(x)) if communicator.rank == 0 else y

        for step in range(3):
            optimizer.update(loss, data(communicator.rank, step))
        return [param.array for param in model.params()]

    np.testing.assert_equal(launch(program, 2, True), launch(program, 2, False))


def test_gradients_of_a_backward_that_failed_are_not_used() -> None:
    """Some have been sent when it fails: the next update does not take their means for those of its own."""

    class Failing(renga.FunctionNode):
        fails = False

        def forward(self, xs):
            return (xs[0].copy(),)

        def backward(self, indexes, gys):
            if self.fails:
                raise ValueError("failed")
            return gys

    def program(communicator):
        communicator.set_config("bucket_bytes", 0)
        model = Chain()
        optimizer = create_multi_node_optimizer(renga.optimizers.SGD(), communicator, overlap=True).setup(model)
        function = Failing

        def loss(x):
            node = function()
            return F.sum(F.tanh(model.l1(node.apply((model.l0(x),))[0])))

        optimizer.update(loss, data(0, 0))
        optimizer.update(loss, data(0, 1))
        function = type("FailingNow", (Failing,), {"fails": True})
        with pytest.raises(ValueError, match="failed"):
            optimizer.update(loss, data(0, 2))
        function = Failing
        before = [param.array.copy() for param in model.params()]
        with pytest.raises(RuntimeError, match="an earlier backward has failed"):
            optimizer.update(loss, data(0, 3))
        np.testing.assert_equal([param.array for param in model.params()], before)

    launch(program, 2)
