"""A rank whose parameters are not those of the others is named, and ended or training stops."""

from __future__ import annotations

from typing import Any

import pytest

from renga_distributed.recovery import training
from renga_distributed.recovery.divergence import judge
from renga_distributed.simulation import Fault
from renga_distributed.simulation.invariants import violations
from renga_distributed.simulation.record import Case
from renga_distributed.simulation.training import run, undisturbed
from renga_distributed.simulation.witnesses import WatchedRecovery, Witness


def test_ranks_that_agree_are_right() -> None:
    assert judge([7, 7, 7], [True] * 3, 5) is None
    assert judge([7, 7], [False] * 2, 5) is None


@pytest.mark.parametrize(
    ("digests", "finite", "wrong"),
    [
        ([7, 8, 7], [True] * 3, (1,)),
        ([8, 7, 9, 7], [True] * 4, (0, 2)),
        ([7, 8], [True, True], ()),
        ([7, 7, 8, 8], [True] * 4, ()),
        ([7, 8], [True, False], (1,)),
        ([7, 7, 8], [False, False, True], (0, 1)),
        ([1, 2, 3], [False, False, False], ()),
    ],
)
def test_the_majority_of_those_with_finite_parameters_is_right(
    digests: list[int], finite: list[bool], wrong: tuple[int, ...]
) -> None:
    verdict = judge(digests, finite, 5)
    assert verdict is not None
    assert verdict.wrong == wrong


def test_the_sentence_names_who_is_wrong() -> None:
    assert str(judge([7, 8, 7], [True] * 3, 5).sentence) == (  # type: ignore[union-attr]  # there is a verdict
        "rank 1 has other parameters than the other ranks after iteration 5"
    )
    assert "rank 1 alone has parameters that are not finite" in judge([7, 8], [True, False], 5).sentence  # type: ignore[union-attr]  # there is


def _flip_a_bit(monkeypatch: pytest.MonkeyPatch, process: int, value: float) -> None:
    """After iteration 4, change a parameter of a process that has been there from the beginning."""
    witness = Witness.__call__

    def call(self: Any, trainer: Any) -> None:
        witness(self, trainer)
        if trainer.updater.iteration == 4 and self._recovery.communicator._process == process:
            next(self._model.params()).array.flat[0] += value

    monkeypatch.setattr(Witness, "__call__", call)


@pytest.mark.parametrize("value", [1e-9, float("nan")])
def test_a_rank_with_a_flipped_bit_is_replaced(value: float, monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed("plain", 3)
    _flip_a_bit(monkeypatch, 1, value)
    record = run(Case("plain", 0, ranks=3, spares=1))
    assert record.outcome is not None
    (death,) = record.outcome.deaths
    assert death.startswith("process 1 by itself")
    assert [(event.lost, event.joined) for event in record.events] == [([1], [1])]
    assert set(record.sizes.values()) == {3}


def test_training_stops_where_nobody_can_tell_who_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    _flip_a_bit(monkeypatch, 1, 1e-9)
    record = run(Case("plain", 0, ranks=2))
    assert record.outcome is not None
    assert {type(error).__name__ for error in record.outcome.errors.values()} == {"RengaError"}
    assert all("it cannot be told which are right" in str(error) for error in record.outcome.errors.values())


def test_training_stops_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    _flip_a_bit(monkeypatch, 1, 1e-9)
    made = WatchedRecovery.__init__

    def stopping(self: Any, *args: Any, **kwds: Any) -> None:
        made(self, *args, replace_diverged=False, **kwds)

    monkeypatch.setattr(WatchedRecovery, "__init__", stopping)
    record = run(Case("plain", 0, ranks=3, spares=1))
    assert record.outcome is not None
    assert all("rank 1 has other parameters" in str(error) for error in record.outcome.errors.values())
    assert len(record.outcome.errors) == 3


def test_a_rank_may_die_while_all_compare() -> None:
    assert training.TrainerRecovery._compare  # which every simulated run calls after each second iteration
    case = Case("plain", 0, ranks=3, spares=2, faults=(Fault(1, 100), Fault(2, 101)))
    assert violations(case, run(case)) == []
