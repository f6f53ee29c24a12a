"""What only one rank holds: what is told where it cannot be kept, and how it is shared out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from renga_core import random
from renga_core.errors import RengaError
from renga_data.iterators import SerialIterator
from renga_distributed.links import MultiNodeChainList
from renga_distributed.optimizers import create_multi_node_optimizer
from renga_distributed.recovery import Recovery, take_place
from renga_distributed.recovery.replicas import Replicas
from renga_distributed.simulation import Fault, SimulatedCommunicator, simulate
from renga_nn import functions as F
from renga_nn import links as L
from renga_optimizers import SGD, Adam

EXAMPLES = np.random.default_rng(0).standard_normal((24, 3))


class Box:
    """Holds an array."""

    what = "the content of its box"

    def __init__(self, value: float) -> None:
        self.array = np.full(3, float(value))

    def own(self) -> Any:
        return {"array": self.array}

    def take(self, state: Any) -> None:
        self.array = state["array"].copy()

    def indivisible(self) -> str:
        return ""

    def share_out(self, states: Any) -> Any:
        return {"array": sum(state["array"] for state in states)}


def _boxes(comm: SimulatedCommunicator, then: Any) -> Any:
    box = Box(comm.rank)
    replicas = Replicas(comm, {"box": box})
    for _ in range(3):
        box.array += 10.0
        replicas.offer()
        comm.commit()
        replicas.adopt()
    return then(box, replicas)


def test_the_next_rank_has_a_replica_of_the_last_vote() -> None:
    def then(box: Box, replicas: Replicas) -> Any:
        box.array += 1000  # after the vote
        return {place: state["box:array"].tolist() for place, state in replicas._held.items()}

    results = simulate(lambda comm: _boxes(comm, then), 3, 0).results
    assert results == {0: {2: [32.0] * 3}, 1: {0: [30.0] * 3}, 2: {1: [31.0] * 3}}


def test_only_what_has_changed_is_sent() -> None:
    sent: list[list[str]] = []

    def program(comm: SimulatedCommunicator) -> None:
        first, second = Box(comm.rank), Box(comm.rank)
        replicas = Replicas(comm, {"first": first, "second": second})
        send = comm.send_obj

        def note(message: Any, dest: int, tag: int = 0) -> None:
            sent.append(sorted(message[0]))
            send(message, dest, tag)

        comm.send_obj = note  # type: ignore[method-assign]  # of this one
        for _ in range(2):
            second.array += 1
            replicas.offer()
            replicas.adopt()

    simulate(program, 2, 0)
    assert sorted(sent) == [["first:array", "second:array"]] * 2 + [["second:array"]] * 2


def test_a_rank_and_the_next_one_cannot_die_together() -> None:
    def program(comm: SimulatedCommunicator) -> Any:
        model = L.Linear(3, 1)
        random.seed(0)
        iterator = SerialIterator(EXAMPLES, 8, communicator=comm, seed=1)
        optimizer = create_multi_node_optimizer(Adam(), comm, sharded=True, weighted=True).setup(model)
        recovery = Recovery(comm, {"iterator": iterator, "optimizer": optimizer})

        def step() -> None:
            if recovery.iteration == 3 and comm._process in (1, 2):
                comm.die()
            optimizer.update(lambda x: F.mean(model(x) ** 2), np.array(next(iterator)))

        return recovery.run(step, 6)

    outcome = simulate(program, 4, 0, spares=2)
    assert len(outcome.deaths) == 2
    for number in (0, 3):
        assert isinstance(outcome.errors[number], RengaError)
        assert str(outcome.errors[number]) == (
            "rank 1 died, and so did the next rank, which had the replica of what only rank 1 held: its share of the "
            "optimizer's state. Next: go on with --resume"
        )


def _parts(comm: SimulatedCommunicator, lr: float = 0.1) -> tuple[Any, Any]:
    model = MultiNodeChainList(comm)
    last = comm.rank == comm.size - 1
    model.add_link(
        L.Linear(3, 3), rank_in=comm.rank - 1 if comm.rank else None, rank_out=None if last else comm.rank + 1
    )
    return model, SGD(lr).setup(model)


def _error(program: Any, ranks: int = 2, **more: Any) -> str:
    errors = simulate(program, ranks, 0, **more).errors
    assert len(errors) == ranks
    assert {type(error) for error in errors.values()} == {RengaError}
    (sentence,) = {str(error) for error in errors.values()}
    return sentence


def _run(comm: SimulatedCommunicator, **parts: Any) -> None:
    Recovery(comm, parts).run(lambda: pytest.fail("it begins to train"), 3)


def test_different_parameters_are_noticed_before_training() -> None:
    def program(comm: SimulatedCommunicator) -> None:
        random.seed(comm.rank)
        alone = comm.split(comm.rank, 0)
        _run(comm, optimizer=create_multi_node_optimizer(SGD(), alone).setup(L.Linear(3, 3)))

    assert "put the part of each rank into a MultiNodeChainList" in _error(program)


def test_a_rank_without_a_part_is_noticed_before_training() -> None:
    def program(comm: SimulatedCommunicator) -> None:
        alone = comm.split(comm.rank, 0)
        whole = create_multi_node_optimizer(SGD(), alone).setup(L.Linear(3, 3))
        _run(comm, optimizer=_parts(comm)[1] if comm.rank == 0 else whole)

    assert "rank 1 has no MultiNodeChainList, and other ranks have one" in _error(program)


def test_hyperparameters_of_parts_must_be_the_same() -> None:
    assert "different hyperparameters" in _error(lambda comm: _run(comm, optimizer=_parts(comm, comm.rank + 1.0)[1]))


def test_gradients_of_different_parts_are_not_averaged() -> None:
    def program(comm: SimulatedCommunicator) -> None:
        _run(comm, optimizer=create_multi_node_optimizer(SGD(), comm).setup(_parts(comm)[0]))

    assert "but here each rank has its own part of the model" in _error(program)


def test_parts_need_their_number_of_ranks() -> None:
    def program(comm: SimulatedCommunicator) -> Any:
        if not take_place(comm):
            return None
        random.seed(0)
        model, optimizer = _parts(comm)
        iterator = SerialIterator(EXAMPLES, 8, seed=1)

        def step() -> None:
            y = model(np.array(next(iterator)))
            model.cleargrads()
            (F.mean(y**2) if comm.rank == comm.size - 1 else y).backward()
            optimizer.update()

        Recovery(comm, {"iterator": iterator, "optimizer": optimizer}).run(step, 6)
        return model[0].W.array.tolist()

    whole = simulate(program, 2, 0)
    assert not whole.errors
    at = whole.points[0] // 2
    replaced = simulate(program, 2, 0, [Fault(1, at)], spares=1)
    assert replaced.deaths
    assert (replaced.results[0], replaced.results[2]) == (whole.results[0], whole.results[1])
    (error,) = simulate(program, 2, 0, [Fault(1, at)]).errors.values()
    assert "2 ranks have become 1" in str(error)
    assert "each rank has another part of the model. Next: go on with --resume on 2 ranks" in str(error)


def test_a_graph_over_batches_is_refused() -> None:
    def program(comm: SimulatedCommunicator) -> None:
        model = L.LSTM(3, 1)
        optimizer = create_multi_node_optimizer(Adam(), comm).setup(model)
        iterator = SerialIterator(EXAMPLES, 8, communicator=comm, seed=1)

        def step() -> None:
            optimizer.update(lambda x: F.sum(model(x)), np.array(next(iterator)))

        Recovery(comm, {"iterator": iterator, "optimizer": optimizer}).run(step, 3)

    sentence = _error(program)
    assert "(LSTM) remembers in c how it was computed from earlier batches" in sentence
    assert "Next: call loss.unchain_backward()" in sentence


def test_a_change_outside_of_updates_is_noticed_when_a_rank_dies() -> None:
    def program(comm: SimulatedCommunicator) -> Any:
        def then(box: Box, replicas: Replicas) -> None:
            if comm.rank == 2:
                comm.die()
            box.array += 1
            comm.recover()
            replicas.find()

        return _boxes(comm, then)

    errors = simulate(program, 3, 0, spares=0).errors
    assert len(errors) == 2
    assert all(
        "rank 0 has changed after the last vote what only it holds (box:array)" in str(e) for e in errors.values()
    )
