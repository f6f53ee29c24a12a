"""Steps that `renga.compile` replays, with multi-node optimizers."""

from __future__ import annotations

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.distributed import create_multi_node_optimizer, launch

CALLS = 7


class Model(renga.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.l0 = L.Linear(3, 3, initialW=0.3)
            self.l1 = L.Linear(3, 2, initialW=0.2)

    def forward(self, x):
        return F.sum(self.l1(F.tanh(self.l0(x))) ** 2)


def train(communicator, options: dict, compiled: bool, by_lossfun: bool) -> tuple[list[np.ndarray], str]:
    model = Model()
    optimizer = create_multi_node_optimizer(renga.optimizers.MomentumSGD(), communicator, **options).setup(model)

    def step(x):
        if by_lossfun:
            optimizer.update(model, x)
        else:
            model.cleargrads()
            model(x).backward()
            optimizer.update()

    call = renga.compile(step) if compiled else step
    for i in range(CALLS):
        call(np.random.default_rng([i, communicator.rank]).normal(size=(4, 3)).astype(np.float32))
    return [param.array for param in model.params()], call.explain() if compiled else ""


@pytest.mark.parametrize("by_lossfun", [False, True])
@pytest.mark.parametrize("options", [{}, {"overlap": True}, {"double_buffering": True}, {"sharded": True}], ids=str)
@pytest.mark.parametrize("size", [1, 2])
def test_ranks_stay_the_same_and_as_without(size: int, options: dict, by_lossfun: bool) -> None:
    """Means are taken in each replay, too; where backward is the optimizer's, calls are ordinary ones."""
    found = launch(train, size, options, True, by_lossfun)
    for (arrays, state), (right, _) in zip(found, launch(train, size, options, False, by_lossfun), strict=True):
        np.testing.assert_equal(arrays, right)
        if size == 1 and not by_lossfun:
            assert state == "replayed"
        if by_lossfun:
            assert state.startswith("ordinary calls")
