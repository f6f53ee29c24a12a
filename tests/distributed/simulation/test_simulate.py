"""Simulated ranks: a seed replays a run, faults happen where they are put, and what does not end is noticed."""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_comm_base.resilience import RanksLost
from renga_core import random
from renga_core.backend import get_backend
from renga_distributed.simulation import Fault, SimulatedCommunicator, simulate


def counting(comm: SimulatedCommunicator) -> Any:
    """Ten sums, each made again by all if a rank dies before all have voted for it."""
    total, sizes = 0.0, []
    if comm.is_spare:
        change = comm.join()
        if change is None:
            return None
        total, sizes = comm.bcast_obj(None, root=change.source)
    while len(sizes) < 10:
        try:
            found = float(comm.allreduce(np.ones(1))[0])
            comm.commit()
            total, sizes = total + found, [*sizes, comm.size]
        except RanksLost:
            recovered = False
            while not recovered:
                try:
                    change = comm.recover()
                    if change.newcomers:
                        comm.bcast_obj((total, sizes), root=change.source)
                    recovered = True
                except RanksLost:
                    pass
    return total, sizes


def test_a_seed_replays_a_run() -> None:
    faults = [Fault(1, 17), Fault(0, 3, since="recovery")]
    first, again = (simulate(counting, 4, 7, faults) for _ in range(2))
    assert (first.steps, first.points, first.deaths, first.results) == (
        again.steps,
        again.points,
        again.deaths,
        again.results,
    )
    assert any(simulate(counting, 4, seed, faults).steps != first.steps for seed in range(8, 12))


def test_the_group_goes_on_with_fewer() -> None:
    for at in range(0, 60, 7):
        outcome = simulate(counting, 3, at, [Fault(1, at)])
        assert not outcome.errors
        assert len(outcome.deaths) == 1
        assert sorted(outcome.results) == [0, 2]
        assert len({str(result) for result in outcome.results.values()}) == 1
        total, sizes = outcome.results[0]
        assert total == sum(sizes)
        assert sizes == sorted(sizes, reverse=True)
        assert set(sizes) <= {2, 3}


def test_a_spare_takes_the_place() -> None:
    outcome = simulate(counting, 2, 0, [Fault(0, 20)], spares=1)
    assert not outcome.errors
    assert outcome.results == {1: (20.0, [2] * 10), 2: (20.0, [2] * 10)}


def test_a_spare_that_nobody_needs_is_told() -> None:
    assert simulate(counting, 2, 0, spares=1).results[2] is None


def test_some_ranks_complete_a_collective_in_which_one_dies_and_others_do_not() -> None:
    def program(comm: SimulatedCommunicator) -> str:
        try:
            comm.barrier()
        except RanksLost:
            return "lost"
        return "done"

    seen = set()
    for seed in range(40):
        outcome = simulate(program, 3, seed, [Fault(0, 1)])
        assert "within barrier" in outcome.deaths[0]
        seen.add(tuple(outcome.results[rank] for rank in (1, 2)))
    assert seen == {("lost", "lost"), ("lost", "done"), ("done", "lost"), ("done", "done")}


def test_a_vote_is_the_same_for_all() -> None:
    def program(comm: SimulatedCommunicator) -> str:
        try:
            comm.commit()
        except RanksLost:
            return "lost"
        return "done"

    seen = set()
    for seed in range(30):
        for at in range(3):
            results = simulate(program, 3, seed, [Fault(0, at)]).results
            assert results[1] == results[2]
            seen.add((at, results[1]))
    assert seen == {(0, "lost"), (1, "lost"), (1, "done"), (2, "done")}


def test_ranks_that_wait_for_each_other_are_noticed() -> None:
    def program(comm: SimulatedCommunicator) -> Any:
        return comm.recv_obj(1 - comm.rank)

    assert simulate(program, 2, 0).problem == "processes [0, 1] wait for others"


def test_a_run_without_end_is_noticed() -> None:
    def program(comm: SimulatedCommunicator) -> None:
        while True:
            comm.barrier()

    problem = simulate(program, 2, 0).problem
    assert problem is not None
    assert "not ended after" in problem


def test_random_numbers_are_each_ranks_own() -> None:
    before = random.get_state()

    def program(comm: SimulatedCommunicator) -> list[float]:
        random.seed(comm.rank)
        found = []
        for _ in range(5):
            comm.barrier()
            found.append(float(random.generator(get_backend("numpy")).random()))
        return found

    together = simulate(program, 2, 3).results
    random.seed(1)
    assert together[1] == [float(random.generator(get_backend("numpy")).random()) for _ in range(5)]
    random.set_state(before)


def test_parts_of_a_group_are_made_again() -> None:
    def program(comm: SimulatedCommunicator) -> tuple[int, float]:
        part = comm.split(comm.rank % 2, comm.rank)
        for _ in range(6):
            try:
                comm.commit()
            except RanksLost:
                comm.recover()
        return part.size, float(part.allreduce(np.ones(1))[0])

    outcome = simulate(program, 4, 0, [Fault(2, 9)])
    assert not outcome.errors
    # A part is made again of those who had made it: ranks 0, 1 and 3 gave the colours 0, 1 and 1.
    assert outcome.results == {0: (1, 1.0), 1: (2, 2.0), 3: (2, 2.0)}
