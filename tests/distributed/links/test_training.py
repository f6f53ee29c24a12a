"""Training with batch normalization over all ranks is training by one process with all batches (float64, to 1e-12)."""

from __future__ import annotations

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.distributed import create_communicator, create_multi_node_optimizer, launch
from renga.distributed.links import create_mnbn_model

STEPS = 20
BATCH = 24
MODES = {
    "plain": {},
    "overlap": {"overlap": True},
    "sharded": {"sharded": True},
    "uneven": {"weighted": True, "overlap": True},
}


class Model(renga.Chain):
    """Two layers, each with batch normalization."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.first = renga.Sequential(
                L.Linear(6, 9, nobias=True), L.BatchNormalization(9, dtype=np.float64), F.tanh
            )
            self.last = renga.Sequential(L.Linear(9, 3), L.BatchNormalization(3, dtype=np.float64))
        rng = np.random.default_rng(0)
        for _, param in sorted(self.namedparams()):
            param.array = rng.normal(size=param.shape)

    def forward(self, x, t):
        return F.softmax_cross_entropy(self.last(self.first(x)), t)


def batches():
    rng = np.random.default_rng(7)
    return [(rng.normal(size=(BATCH, 6)), rng.integers(0, 3, BATCH).astype(np.int32)) for _ in range(STEPS)]


def state(model) -> dict[str, np.ndarray]:
    """Parameters and running statistics."""
    found = {path: param.array for path, param in model.namedparams()}
    for path, link in model.namedlinks():
        if isinstance(link, L.BatchNormalization):
            found |= {f"{path}/avg_mean": link.avg_mean, f"{path}/avg_var": link.avg_var}
    return found


def alone() -> dict[str, np.ndarray]:
    model = Model()
    optimizer = renga.optimizers.MomentumSGD(lr=0.05).setup(model)
    for x, t in batches():
        optimizer.update(model, x, t)
    return state(model)


def together(communicator, options: dict) -> dict[str, np.ndarray]:
    communicator.set_config("bucket_bytes", 100)
    model = create_mnbn_model(Model(), communicator)
    optimizer = create_multi_node_optimizer(renga.optimizers.MomentumSGD(lr=0.05), communicator, **options).setup(model)
    rank, size = communicator.rank, communicator.size
    for step, (x, t) in enumerate(batches()):
        ends = np.arange(size + 1) * (BATCH // size)
        if options.get("weighted"):
            # Nobody without examples: the optimizer would not call the model there, which all ranks must call.
            ends[1:-1] = np.sort(np.random.default_rng(step).permutation(np.arange(1, BATCH))[: size - 1])
        part = slice(ends[rank], ends[rank + 1])
        optimizer.update(model, x[part], t[part])
    return state(model)


def on_mpi(name: str) -> dict[str, dict[str, np.ndarray]]:
    communicator = create_communicator(name)
    try:
        return {mode: together(communicator, options) for mode, options in MODES.items()}
    finally:
        communicator.finalize()


def check(found: list[dict[str, np.ndarray]]) -> None:
    expected = alone()
    for of_rank in found:
        assert of_rank.keys() == expected.keys()
        for path, array in expected.items():
            np.testing.assert_allclose(of_rank[path], array, rtol=1e-12, atol=1e-12, err_msg=path)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("mode", MODES)
def test_on_threads(mode: str, size: int) -> None:
    check(launch(together, size, MODES[mode]))


@pytest.mark.parametrize(("name", "ranks"), [("naive", 2), ("flat", 3)])
def test_on_mpi(rank_pool, name: str, ranks: int) -> None:
    found = rank_pool(ranks).run((__file__, "on_mpi"), name)
    for of_rank in found:
        if isinstance(of_rank, BaseException):
            raise of_rank
    for mode in MODES:
        check([of_rank[mode] for of_rank in found])
