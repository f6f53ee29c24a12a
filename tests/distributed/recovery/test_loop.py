"""Loops written by hand go on when ranks die."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core import random
from renga_core.errors import RengaError
from renga_data.iterators import SerialIterator
from renga_distributed.optimizers import create_multi_node_optimizer
from renga_distributed.recovery import Recovery, build_and_run
from renga_distributed.simulation import Fault, SimulatedCommunicator, simulate
from renga_nn import functions as F
from renga_nn import links as L
from renga_optimizers import Adam, MomentumSGD

EXAMPLES = np.random.default_rng(0).standard_normal((12, 3)).astype(np.float32)


def _program(
    counted: list[int], how: Callable[[Any], Any] = lambda iterator: iterator
) -> Callable[[SimulatedCommunicator], Any]:
    def program(comm: SimulatedCommunicator) -> Any:
        return build_and_run(comm, lambda: build(comm), lambda built: train(comm, *built))

    def build(comm: SimulatedCommunicator) -> Any:
        random.seed(0)
        model = L.Linear(3, 1)
        iterator = SerialIterator(EXAMPLES, 6, communicator=comm, seed=1)
        optimizer = create_multi_node_optimizer(Adam(), comm, weighted=True).setup(model)
        return model, optimizer, iterator, Recovery(comm, {"iterator": how(iterator), "optimizer": optimizer})

    def train(comm: SimulatedCommunicator, model: Any, optimizer: Any, iterator: Any, recovery: Recovery) -> Any:
        def loss(x: Any) -> Any:
            return F.sum(F.dropout(model(x), 0.4) ** 2) / len(x)

        def step() -> None:
            x = np.array(next(iterator)).reshape(-1, 3)
            counted.append(len(x))
            optimizer.update(loss, x)

        if not recovery.run(step, 6):
            return None
        return recovery.iteration, iterator.epoch, model.W.array.tolist()

    return program


def test_whoever_dies_the_result_is_that_of_a_run_without_deaths() -> None:
    expected = simulate(_program([]), 3, 0).results
    assert expected[0] == expected[1] == expected[2]
    for at in range(0, 150, 5):
        steps: list[int] = []
        outcome = simulate(
            _program(steps), 3, at, [Fault(at % 2, at), Fault(1 - at % 2, 4, since="recovery")], spares=3
        )
        assert not outcome.errors
        assert outcome.problem is None
        through = [result for result in outcome.results.values() if result is not None]
        assert through == [expected[0]] * 3


def test_fewer_ranks_use_each_example_once() -> None:
    for at in (20, 50, 90):
        outcome = simulate(_program([]), 3, at, [Fault(0, at)])
        assert sorted(outcome.results) == [1, 2]
        assert [result[:2] for result in outcome.results.values()] == [(6, 3), (6, 3)]
        assert outcome.results[1] == outcome.results[2]


def test_a_step_without_deaths_is_made_once() -> None:
    steps: list[int] = []
    simulate(_program(steps), 2, 0)
    assert steps == [3] * 12


def test_a_plain_optimizer_is_refused() -> None:
    def program(comm: SimulatedCommunicator) -> None:
        Recovery(comm, {"optimizer": MomentumSGD().setup(L.Linear(3, 1))})

    (error,) = simulate(program, 1, 0).errors.values()
    assert isinstance(error, RengaError)
    assert "not one of create_multi_node_optimizer" in str(error)


def test_an_iterator_over_a_part_of_the_data_is_refused() -> None:
    def part(iterator: Any) -> Any:
        return SerialIterator(EXAMPLES, 2)

    (error,) = simulate(_program([], part), 1, 0).errors.values()
    assert isinstance(error, RengaError)
    assert "with communicator=" in str(error)
