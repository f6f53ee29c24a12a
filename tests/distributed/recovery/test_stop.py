"""Ranks that stop before the end do so after the same iteration, whoever dies meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from renga_distributed.simulation import Fault
from renga_distributed.simulation.modes import MODES
from renga_distributed.simulation.record import Case, Record
from renga_distributed.simulation.training import run
from renga_distributed.simulation.witnesses import Snapshot, Witness


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Have process 0 ask to stop in iteration 3; the list gets (process, iteration) of each snapshot that is due."""
    saved: list[tuple[int, int]] = []
    witness = Witness.__call__

    def call(self: Any, trainer: Any) -> None:
        witness(self, trainer)
        if trainer.updater.iteration == 3 and self._recovery.communicator._process == 0:
            trainer.stop("enough")

    def on_interrupt(self: Any, trainer: Any) -> None:
        self(trainer)
        saved.append((self._comm._process, trainer.updater.iteration))

    monkeypatch.setattr(Witness, "__call__", call)
    monkeypatch.setattr(Snapshot, "on_interrupt", on_interrupt)
    return saved


def _ended_well(record: Record) -> bool:
    outcome = record.outcome
    assert outcome is not None
    return outcome.problem is None and not outcome.errors


def test_all_stop_after_the_next_iteration(stopping: list[tuple[int, int]]) -> None:
    record = run(Case("plain", 0, ranks=3))
    assert _ended_well(record)
    assert sorted(record.parameters) == [1, 2, 3, 4]
    assert sorted(stopping) == [(0, 4), (1, 4), (2, 4)]


def test_so_they_do_when_ranks_die(stopping: list[tuple[int, int]]) -> None:
    for at in range(100, 190, 2):
        stopping.clear()
        record = run(Case("plain", at, ranks=3, spares=1, faults=(Fault(1 + at // 2 % 2, at),)))
        assert _ended_well(record), at
        assert sorted(record.parameters) == [1, 2, 3, 4]
        assert {iteration for _, iteration in stopping} == {4}
        assert all(len(set(digests)) == 1 for digests in record.snapshots[4])


def test_a_wish_dies_with_the_rank_that_had_it_or_reaches_all(stopping: list[tuple[int, int]]) -> None:
    ends = set()
    for at in range(100, 190, 3):
        record = run(Case("plain", at, ranks=3, spares=1, faults=(Fault(0, at),)))
        assert _ended_well(record), at
        assert all(len(digests) == 1 for digests in record.parameters.values())
        ends.add(max(record.parameters))
    # Where some had heard of it in an attempt that was undone, they ask for it themselves, an iteration later.
    assert ends == {4, 5, MODES["plain"].iterations}
