"""Training on simulated ranks keeps its invariants, whoever dies. More: ``python -m renga_distributed.simulation``."""

from __future__ import annotations

import pytest

from renga_distributed.simulation import Fault
from renga_distributed.simulation.__main__ import main, replay_command
from renga_distributed.simulation.invariants import violations
from renga_distributed.simulation.modes import MODES
from renga_distributed.simulation.record import Case
from renga_distributed.simulation.training import draw, run, undisturbed

SEEDS = 10


@pytest.mark.parametrize("mode", MODES)
def test_schedules_drawn_by_seeds(mode: str) -> None:
    died = 0
    for seed in range(SEEDS):
        case = draw(mode, seed)
        record = run(case)
        assert violations(case, record) == [], replay_command(case)
        assert record.outcome is not None
        died += len(record.outcome.deaths)
    assert died >= SEEDS // 4


@pytest.mark.parametrize("victim", [0, 1])
def test_a_death_anywhere_in_an_iteration_and_while_others_recover_from_it(victim: int) -> None:
    points = range(victim, 240, 9)
    for at in points:
        faults = (Fault(victim, at), Fault(1 - victim, at % 24, since="recovery"))
        case = Case("plain", at, ranks=3, spares=2, faults=faults)
        assert violations(case, run(case)) == [], case


def test_the_place_of_a_rank_that_died_is_taken_and_told() -> None:
    record = run(Case("dropout", 0, ranks=3, spares=1, faults=(Fault(0, 120),)))
    assert record.sizes == dict.fromkeys(range(1, 7), 3)
    assert record.parameters == undisturbed("dropout", 3).parameters
    (event,) = record.events
    assert (event.lost, event.joined, event.ranks) == ([0], [0], 3)
    assert str(event).startswith("renga: rank 0 lost, rank 0 joined in iteration 3 (")


def test_a_rank_that_is_asked_to_leave_does_so_and_others_go_on() -> None:
    record = run(Case("plain", 0, ranks=3, faults=(Fault(0, 100, kind="leave"),)))
    assert list(record.sizes.values()) == [3, 3, 2, 2, 2, 2]
    assert [line["iteration"] for line in record.log] == [1, 2, 3, 4, 5, 6]
    assert [event.left for event in record.events] == [[0]]


@pytest.mark.parametrize("mode", ["sharded", "optimizer_accumulate"])
def test_neighbours_that_hold_something_alone_may_leave_together(mode: str) -> None:
    case = Case(mode, 0, ranks=4, faults=(Fault(1, 150, kind="leave"), Fault(2, 150, kind="leave")))
    record = run(case)
    assert violations(case, record) == []
    assert set(record.sizes.values()) == {4, 2}


def test_ranks_join() -> None:
    record = run(Case("plain", 0, ranks=1, newcomers=2))
    assert record.outcome is not None
    assert not record.outcome.errors
    assert list(record.sizes.values())[-1] == 3


def test_the_command_replays_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["3", "--mode", "adam"]) == 0
    said = capsys.readouterr().out
    assert "Case(mode='adam', seed=3" in said
    assert said.endswith("no violation\n")
    assert main(["--seeds", "2", "--mode", "plain"]) == 0
    assert capsys.readouterr().out.startswith("2 schedules, ")
