"""Deliberate faults in the recovery: some schedule must find each, or the invariants would prove nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from renga_distributed.optimizers.multi_node import MultiNodeOptimizer
from renga_distributed.optimizers.overlap import OverlappedExchange
from renga_distributed.recovery import extension_call, updates
from renga_distributed.recovery.capture import Links
from renga_distributed.recovery.leading import Leading
from renga_distributed.recovery.membership import Membership, RanksLost
from renga_distributed.recovery.training import TrainerRecovery
from renga_distributed.simulation import Fault
from renga_distributed.simulation.training import Case, _Watched, run, undisturbed, violations
from renga_distributed.simulation.world import SimulatedGroup

SCHEDULES = 100


def iterators_stay_where_they_are(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(updates, "position", lambda iterator: lambda: None)


def parameters_change_before_the_vote(patch: pytest.MonkeyPatch) -> None:
    def update(self: Any) -> None:
        usable = self._exchange.average(self.actual_optimizer)
        if usable:
            self.actual_optimizer.update()
        self._vote()

    patch.setattr(MultiNodeOptimizer, "_update_by_means", update)


def random_numbers_are_not_drawn_anew(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TrainerRecovery, "_reseed", lambda self: None)


def running_means_are_not_put_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Links, "undo", lambda self: None)


def running_means_stay_each_ranks_own(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Links, "changes", lambda self: [])


def newcomers_get_no_momentum(patch: pytest.MonkeyPatch) -> None:
    whole = TrainerRecovery._state

    def state(self: Any) -> Any:
        found = whole(self)
        arrays = found["arrays"]
        return {**found, "arrays": {k: np.zeros_like(v) if k.endswith("/v") else v for k, v in arrays.items()}}

    patch.setattr(TrainerRecovery, "_state", state)


def triggers_are_not_put_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(extension_call, "serialized", lambda obj: lambda: None)


def nobody_follows_rank_0(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leading, "follow", lambda self: self.pending.clear())


def what_is_pending_is_forgotten_at_a_take_over(patch: pytest.MonkeyPatch) -> None:
    whole = Leading.take_over

    def take_over(self: Any) -> None:
        self.pending.clear()
        whole(self)

    patch.setattr(Leading, "take_over", take_over)


def two_ranks_lead(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Leading, "step_down", lambda self: None)


def observations_are_told_after_the_vote(patch: pytest.MonkeyPatch) -> None:
    def vote(self: Any) -> None:
        self.communicator.commit()
        self._votes += 1
        self.record.sizes[self._trainer.updater.iteration + 1] = self.communicator.size
        self._share_knowledge()

    patch.setattr(_Watched, "_vote", vote)


def votes_are_not_uniform(patch: pytest.MonkeyPatch) -> None:
    def vote(self: Any, rank: int, what: str = "commit") -> bool:
        self.exchange(rank, None, what)
        return bool(self.world.is_to_change)

    patch.setattr(SimulatedGroup, "vote", vote)


def what_was_interrupted_is_not_repeated(patch: pytest.MonkeyPatch) -> None:
    def attempt(self: Any, begin: Callable[[], Any], work: Callable[[], Any]) -> Any:
        undo = begin()
        try:
            return work()
        except RanksLost:
            undo()
            self.recover()

    patch.setattr(Membership, "attempt", attempt)


def parameters_are_not_kept_for_several_votes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(updates, "optimizer_state", lambda optimizer: lambda: None)


def what_is_on_its_way_is_not_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(OverlappedExchange, "forget", lambda self: None)


def means_of_the_last_update_are_not_put_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MultiNodeOptimizer, "keep", lambda self: lambda: None)


# Each with a mode, and the number of the first schedule: those that few schedules find begin shortly before one.
MUTATIONS = [
    (iterators_stay_where_they_are, "plain", 0),
    (parameters_change_before_the_vote, "plain", 0),
    (random_numbers_are_not_drawn_anew, "dropout", 0),
    (running_means_are_not_put_back, "batch_normalization", 0),
    (running_means_stay_each_ranks_own, "batch_normalization", 0),
    (newcomers_get_no_momentum, "plain", 0),
    (triggers_are_not_put_back, "plain", 115),
    (nobody_follows_rank_0, "plain", 0),
    (what_is_pending_is_forgotten_at_a_take_over, "plain", 110),
    (two_ranks_lead, "plain", 0),
    (observations_are_told_after_the_vote, "plain", 0),
    (votes_are_not_uniform, "plain", 0),
    (what_was_interrupted_is_not_repeated, "plain", 0),
    (parameters_are_not_kept_for_several_votes, "two_optimizers", 0),
    (what_is_on_its_way_is_not_forgotten, "overlap", 0),
    (means_of_the_last_update_are_not_put_back, "double_buffering", 0),
]


@pytest.mark.parametrize(("mutation", "mode", "first"), MUTATIONS, ids=[each[0].__name__ for each in MUTATIONS])
def test_some_schedule_finds_the_fault(
    mutation: Callable[[pytest.MonkeyPatch], None], mode: str, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed.cache_clear()
    try:
        for case in _cases(mode, first):
            undisturbed(mode, case.ranks)  # what to compare with, unharmed
            with monkeypatch.context() as patch:
                mutation(patch)
                found = violations(case, run(case))
            if found:
                break
        else:
            pytest.fail("no schedule notices")
    finally:
        undisturbed.cache_clear()
    assert violations(case, run(case)) == [], "the schedule finds something without the fault, too"


def _cases(mode: str, first: int) -> Iterator[Case]:
    """Schedules drawn by seeds, in turn with deaths at one point of one rank after the other."""
    for number in range(first, first + SCHEDULES):
        yield Case.drawn(mode, number)
        yield Case(mode, number, ranks=2, spares=1, faults=(Fault(number % 2, number // 2),))
