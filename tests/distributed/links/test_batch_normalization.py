"""Batch normalization over the batches of all ranks, against one process that has them all."""

import copy

import numpy as np
import pytest

from renga_core.configuration import using_config
from renga_core.graph import Variable, no_backprop_mode
from renga_core.link import Chain, ChainList, Sequential
from renga_distributed.links import MultiNodeBatchNormalization, create_mnbn_model
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import launch
from renga_nn.functions import relu
from renga_nn.links import BatchNormalization, BatchRenormalization, Convolution2D, Linear
from renga_serializers.npz import load_npz, save_npz

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
SHAPES = {
    "even": [(4, 3), (4, 3), (4, 3), (4, 3)],
    "uneven": [(1, 3), (5, 3), (2, 3), (3, 3)],
    "one empty": [(3, 3), (0, 3), (2, 3), (1, 3)],
    "images": [(2, 3, 4, 5), (3, 3, 4, 5), (1, 3, 4, 5), (2, 3, 4, 5)],
}


def batches(shapes, seed=0, offset=0.0):
    random = np.random.default_rng(seed)
    return [random.normal(size=shape) * 3 + offset for shape in shapes]


def initialized(link):
    if link.gamma is not None:
        link.gamma.array[...] = [0.5, 1.5, -2.0]
    if link.beta is not None:
        link.beta.array[...] = [1.0, 0.0, -1.0]
    return link


def steps(link, x, weight, calls=2):
    """Output, gradients of two orders, running statistics; the loss is a sum over the batch."""
    x = Variable(x)
    for _ in range(calls):
        y = link(x)
    (weight * y**3).sum().backward(enable_double_backprop=True)
    gx = x.grad_var
    params = [p for p in (link.gamma, link.beta) if p is not None]
    first = [p.grad for p in params]
    x.cleargrad()
    link.cleargrads()
    (gx * gx).sum().backward()
    return {
        "y": y.array,
        "gx": gx.array,
        "params": first,
        "ggx": x.grad,
        "second params": [p.grad for p in params if p.grad is not None],
        "running": [link.avg_mean.copy(), link.avg_var.copy()],
    }


def fast_gradients(link, x, weight):
    x = Variable(x)
    (weight * link(x) ** 3).sum().backward()
    return [x.grad, *[p.grad for p in (link.gamma, link.beta) if p is not None]]


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_equals_one_process_with_all_batches(size, name, scaled) -> None:
    xs = batches(SHAPES[name][:size], offset=20.0)
    weights = batches(SHAPES[name][:size], seed=1)
    options = {"dtype": np.float64, "use_gamma": scaled, "use_beta": scaled}

    def program(comm):
        link = initialized(MultiNodeBatchNormalization(3, comm, **options))
        found = steps(link, xs[comm.rank], weights[comm.rank])
        return found, fast_gradients(copy.deepcopy(link), xs[comm.rank], weights[comm.rank])

    results = launch(program, size)
    together = initialized(BatchNormalization(3, **options))
    expected = steps(together, np.concatenate(xs), np.concatenate(weights))
    fast = fast_gradients(together, np.concatenate(xs), np.concatenate(weights))
    for what in ("y", "gx", "ggx"):
        np.testing.assert_allclose(np.concatenate([r[what] for r, _ in results]), expected[what], **CLOSE)
    for what in ("params", "second params"):
        for i, total in enumerate(expected[what]):
            np.testing.assert_allclose(sum(r[what][i] for r, _ in results), total, **CLOSE)
    for found, _ in results:
        np.testing.assert_allclose(found["running"], expected["running"], **CLOSE)
    np.testing.assert_allclose(np.concatenate([gx for _, (gx, *_) in results]), fast[0], **CLOSE)
    for i in range(1, len(fast)):
        np.testing.assert_allclose(sum(gs[i] for _, gs in results), fast[i], **CLOSE)


def test_float16_and_statistics_that_cancel() -> None:
    xs = [x.astype(np.float16) for x in batches([(50, 3), (30, 3)], offset=1000)]

    def program(comm):
        link = MultiNodeBatchNormalization(3, comm, dtype=np.float32)
        y = link(xs[comm.rank])
        return y.array, link.avg_var

    (y0, var), (y1, _) = launch(program, 2)
    together = np.concatenate(xs).astype(np.float64)
    assert y0.dtype == np.float16
    np.testing.assert_allclose(
        np.concatenate([y0, y1]), (together - together.mean(0)) / together.std(0), rtol=2e-3, atol=2e-3
    )
    np.testing.assert_allclose(var, 0.9 + 0.1 * together.var(0, ddof=1), rtol=1e-5)


@pytest.mark.parametrize("differentiable", [False, True])
def test_ranks_take_part_though_only_one_differentiates_its_input(differentiable) -> None:
    xs = batches([(2, 3), (3, 3)])

    def program(comm):
        x = Variable(xs[comm.rank]) if comm.rank == 0 else xs[comm.rank]
        link = MultiNodeBatchNormalization(3, comm, dtype=np.float64, use_gamma=False, use_beta=False)
        (link(x) ** 3).sum().backward(enable_double_backprop=differentiable)
        return x.grad if comm.rank == 0 else None

    x = Variable(np.concatenate(xs))
    (BatchNormalization(3, dtype=np.float64)(x) ** 3).sum().backward()
    np.testing.assert_allclose(launch(program, 2)[0], x.grad[:2], **CLOSE)


def test_nothing_is_sent_back_where_no_input_is_differentiated() -> None:
    class Counting(SingleCommunicator):
        sums = 0

        def allreduce(self, data):
            self.sums += 1
            return super().allreduce(data)

    comm = Counting()
    link = MultiNodeBatchNormalization(3, comm)
    for differentiable in (False, True):
        link(np.ones((2, 3), np.float32)).sum().backward(enable_double_backprop=differentiable)
    assert comm.sums == 0
    np.testing.assert_array_equal(link.beta.grad, [4, 4, 4])


def test_testing_uses_the_averages_without_communication() -> None:
    def program(comm):
        link = initialized(MultiNodeBatchNormalization(3, comm, dtype=np.float64))
        if comm.rank == 0:  # alone
            with using_config("train", False), no_backprop_mode():
                return link(np.ones((2, 3))).array
        return None

    with using_config("train", False):
        expected = initialized(BatchNormalization(3, dtype=np.float64))(np.ones((2, 3))).array
    np.testing.assert_array_equal(launch(program, 2)[0], expected)


def test_finetuning() -> None:
    xs = batches([(2, 3), (3, 3)])

    def program(comm):
        link = MultiNodeBatchNormalization(3, comm, dtype=np.float64)
        for _ in range(2):
            link(xs[comm.rank], finetune=True)
        return link.avg_mean

    np.testing.assert_allclose(launch(program, 2), [np.concatenate(xs).mean(0)] * 2, **CLOSE)


def test_all_empty() -> None:
    def program(comm):
        with pytest.raises(ValueError, match="the batches of all ranks are empty"):
            MultiNodeBatchNormalization(3, comm)(np.ones((0, 3), np.float32))

    launch(program, 2)


def test_communication_backends() -> None:
    comm = SingleCommunicator()
    for name in ("auto", "mpi"):
        MultiNodeBatchNormalization(3, comm, communication_backend=name)
    with pytest.raises(ValueError, match="'smoke'; it must be 'auto', 'mpi' or 'nccl'"):
        MultiNodeBatchNormalization(3, comm, communication_backend="smoke")
    with pytest.raises(ValueError, match=r"the communicator is SingleCommunicator, .*'pure_nccl'"):
        create_mnbn_model(BatchNormalization(3), comm, communication_backend="nccl")


class Block(Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = Convolution2D(3, 3, 3)
            self.bn = BatchNormalization(None)
            self.renorm = BatchRenormalization(3)
        self.also = [self.bn]  # seen by another way than the tree of links

    def forward(self, x):
        return self.renorm(self.also[0](self.conv(x)))


class WithSettings(BatchNormalization):
    def __init__(self) -> None:
        super().__init__(3, decay=0.5, eps=1e-3, axis=(0, 2, 3), dtype=np.float64)
        self.note = "mine"


class Otherwise(BatchNormalization):
    def forward(self, x):
        return super().forward(x) * 2


def model():
    return Sequential(Block(), relu, ChainList(WithSettings(), Chain(bn=BatchNormalization(2))), Otherwise(3))


def test_create_mnbn_model() -> None:
    comm, plain = SingleCommunicator(), model()
    plain[0].bn.gamma.update_rule = "a rule"
    before = [type(link) for link in plain.links()]
    made = create_mnbn_model(plain, comm)
    assert [type(link) for link in plain.links()] == before
    assert isinstance(made, Sequential)
    assert [path for path, _ in made.namedlinks()] == [path for path, _ in plain.namedlinks()]
    assert [path for path, _ in made.namedparams()] == [path for path, _ in plain.namedparams()]
    block, _, settings, otherwise = made
    assert type(block) is Block
    assert type(block.renorm) is BatchRenormalization
    assert type(otherwise) is Otherwise
    for link in (block.bn, settings[0], settings[1].bn):
        assert type(link) is MultiNodeBatchNormalization
        assert link.comm is comm
    assert block.also[0] is block.bn
    assert block.bn.name == "bn"
    assert block.bn.gamma.update_rule == "a rule"
    assert (settings[0].decay, settings[0].eps, settings[0].axis, settings[0].note) == (0.5, 1e-3, (0, 2, 3), "mine")
    settings[0].gamma.array[...] = 7
    settings[0].avg_mean[...] = 7
    np.testing.assert_array_equal([plain[2][0].gamma.array, plain[2][0].avg_mean], [[1] * 3, [0] * 3])
    assert block(np.ones((2, 3, 4, 4), np.float32)).shape == (2, 3, 2, 2)

    alone = create_mnbn_model(BatchNormalization(3), comm)
    assert type(alone) is MultiNodeBatchNormalization
    assert type(create_mnbn_model(Linear(2, 2), comm)) is Linear
    again = create_mnbn_model(made, comm)
    assert again[0].bn is not made[0].bn
    assert type(again[0].bn) is MultiNodeBatchNormalization


def test_a_snapshot_of_the_one_loads_into_the_other(tmp_path) -> None:
    plain = Sequential(Linear(2, 3), BatchNormalization(3))
    plain(np.ones((4, 2), np.float32) * np.arange(4, dtype=np.float32)[:, None])
    multi = create_mnbn_model(Sequential(Linear(2, 3), BatchNormalization(3)), SingleCommunicator())
    for source, target in ((plain, multi), (multi, Sequential(Linear(2, 3), BatchNormalization(3)))):
        save_npz(tmp_path / "model.npz", source)
        load_npz(tmp_path / "model.npz", target)
        for (path, a), (_, b) in zip(source.namedparams(), target.namedparams(), strict=True):
            np.testing.assert_array_equal(a.array, b.array, err_msg=path)
        np.testing.assert_array_equal(source[1].avg_var, target[1].avg_var)
        assert not np.array_equal(target[1].avg_var, np.ones(3))
