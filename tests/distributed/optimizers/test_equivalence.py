"""Training by several ranks is training by one process with all of their batches (float64, to 1e-12)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.distributed import create_communicator, create_multi_node_optimizer, launch

STEPS = 20
BATCH = 24  # of all ranks together: a multiple of 1, 2, 3 and 4, and with two batches to an update of twice that
OPTIMIZERS = {
    "sgd": lambda: renga.optimizers.SGD(lr=0.1),
    "momentum": lambda: renga.optimizers.MomentumSGD(lr=0.05),
    "adam": lambda: renga.optimizers.Adam(alpha=0.01),
}
MODES = {
    "plain": {},
    "overlap": {"overlap": True},
    "sharded": {"sharded": True},
    "overlap, sharded": {"overlap": True, "sharded": True},
    "accumulated": {"accumulate": 2},
    "weighted": {"weighted": True},
    "everything": {"overlap": True, "sharded": True, "accumulate": 3, "weighted": True},
}


class Model(renga.Chain):
    """Its parameters depend on the seed, and one of them is never used."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        with self.init_scope():
            self.first = L.Linear(6, 9)
            self.second = L.Linear(9, 5)
            self.unused = L.Linear(2, 3)
            self.last = L.Linear(5, 3)
        rng = np.random.default_rng(seed)
        for param in self.params():
            param.array = rng.normal(size=param.shape)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.last(F.tanh(self.second(F.tanh(self.first(x))))), t)


def batches():
    """What is learned from in each step."""
    rng = np.random.default_rng(7)
    return [(rng.normal(size=(BATCH, 6)), rng.integers(0, 3, BATCH).astype(np.int32)) for _ in range(STEPS)]


def alone(optimizer: str) -> dict[str, np.ndarray]:
    """The parameters after training in one process."""
    model = Model(0)
    plain = OPTIMIZERS[optimizer]().setup(model)
    plain.use_cleargrads(False)  # zeros for the parameters that are not used, as several ranks have
    plain.add_hook(renga.optimizer_hooks.WeightDecay(0.01))
    plain.add_hook(renga.optimizer_hooks.GradientClipping(1.0))
    for x, t in batches():
        plain.update(model, x, t)
    return {path: param.array for path, param in model.namedparams()}


def parts(step: int, ranks: int, accumulate: int, even: bool) -> list[slice]:
    """A batch in as many parts as all ranks have in an update; some are empty unless they are even."""
    count = ranks * accumulate
    if even:
        ends = np.arange(count + 1) * (BATCH // count)
    else:
        ends = np.sort(np.random.default_rng(step).integers(0, BATCH + 1, count - 1))
        ends = np.array([0, *ends, BATCH])
    return [slice(begin, end) for begin, end in pairwise(ends)]


def together(communicator, optimizer: str, options: dict, bucket_bytes: int | None) -> dict[str, np.ndarray]:
    """The parameters after training by all ranks, which start from different ones."""
    communicator.set_config("bucket_bytes", bucket_bytes)
    model = Model(communicator.rank)
    ours = create_multi_node_optimizer(OPTIMIZERS[optimizer](), communicator, **options).setup(model)
    ours.add_hook(renga.optimizer_hooks.WeightDecay(0.01))
    ours.add_hook(renga.optimizer_hooks.GradientClipping(1.0))
    accumulate = options.get("accumulate", 1)
    for step, (x, t) in enumerate(batches()):
        mine = parts(step, communicator.size, accumulate, even=not options.get("weighted"))
        for part in mine[communicator.rank :: communicator.size]:
            ours.update(model, x[part], t[part])
    assert ours.t == STEPS - bool(options.get("double_buffering"))  # the first call changes nothing
    return {path: param.array for path, param in model.namedparams()}


LATE = {"double_buffering": True}


def on_mpi(name: str, optimizer: str) -> dict[str, dict[str, np.ndarray]]:
    """What `together` returns for each of the modes, and with double buffering."""
    communicator = create_communicator(name)
    try:
        modes = {**MODES, "late": LATE}
        return {mode: together(communicator, optimizer, options, 500) for mode, options in modes.items()}
    finally:
        communicator.finalize()


def check(found: list[dict[str, np.ndarray]], expected: dict[str, np.ndarray]) -> None:
    for of_rank in found:
        assert of_rank.keys() == expected.keys()
        for path, array in expected.items():
            np.testing.assert_allclose(of_rank[path], array, rtol=0, atol=1e-12, err_msg=path)
            np.testing.assert_array_equal(of_rank[path], found[0][path], err_msg=path)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_on_threads(optimizer: str, mode: str, size: int) -> None:
    check(launch(together, size, optimizer, MODES[mode], 500), alone(optimizer))


@pytest.mark.parametrize("bucket_bytes", [0, 1, 100, 1000, None])
def test_in_buckets_of_any_size(bucket_bytes: int | None) -> None:
    check(launch(together, 3, "adam", MODES["overlap, sharded"], bucket_bytes), alone("adam"))


@pytest.mark.parametrize(
    ("name", "ranks", "ranks_per_node"),
    [
        *(("single_node", 2, None), ("naive", 2, None), ("naive", 4, 2), ("flat", 2, None), ("flat", 4, 2)),
        *(("hierarchical", 4, 2), ("two_dimensional", 4, 2), ("non_cuda_aware", 4, 2)),
    ],
)
def test_on_mpi(rank_pool, name: str, ranks: int, ranks_per_node: int | None) -> None:
    found = rank_pool(ranks, ranks_per_node).run((__file__, "on_mpi"), name, "momentum")
    for of_rank in found:
        if isinstance(of_rank, BaseException):
            raise of_rank
    expected = alone("momentum")
    for mode in MODES:
        check([of_rank[mode] for of_rank in found], expected)
    check([of_rank["late"] for of_rank in found], launch(together, ranks, "momentum", LATE, 500)[0])
