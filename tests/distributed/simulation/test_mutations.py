"""Deliberate faults in the recovery: some schedule must find each, or the invariants would prove nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from renga_distributed.optimizers.accumulated import Accumulated
from renga_distributed.optimizers.multi_node import MultiNodeOptimizer
from renga_distributed.optimizers.overlap import OverlappedExchange
from renga_distributed.optimizers.sharding import Shares
from renga_distributed.recovery import extension_call, updates
from renga_distributed.recovery.capture import Links
from renga_distributed.recovery.leading import Leading
from renga_distributed.recovery.membership import Membership, RanksLost
from renga_distributed.recovery.recurrent import RecurrentState
from renga_distributed.recovery.replicas import Replicas
from renga_distributed.recovery.training import TrainerRecovery
from renga_distributed.simulation import Fault
from renga_distributed.simulation.invariants import violations
from renga_distributed.simulation.modes import MODES
from renga_distributed.simulation.record import Case
from renga_distributed.simulation.training import draw, run, undisturbed
from renga_distributed.simulation.witnesses import WatchedRecovery
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
        self._share_knowledge()

    patch.setattr(WatchedRecovery, "_vote", vote)


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


def replicas_are_one_iteration_old(patch: pytest.MonkeyPatch) -> None:
    adopt, find = Replicas.adopt, Replicas.find

    def remember(self: Any) -> None:
        self._older = self._held
        adopt(self)

    def find_older(self: Any) -> None:
        self._held = getattr(self, "_older", self._held)
        find(self)

    patch.setattr(Replicas, "adopt", remember)
    patch.setattr(Replicas, "find", find_older)


def replicas_are_not_renewed_after_a_recovery(patch: pytest.MonkeyPatch) -> None:
    whole = Replicas.renew

    def renew(self: Any) -> None:
        whole(self)
        if self._pending is not None:
            self._pending.held = self._held

    patch.setattr(Replicas, "renew", renew)


def shares_have_the_bounds_of_the_old_size(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Shares, "share_out", lambda self, states: states[self._communicator.rank % len(states)])


def gradients_of_who_has_died_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Accumulated, "share_out", lambda self, states: states[self._communicator.rank % len(states)])


def accumulated_gradients_are_not_put_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(MultiNodeOptimizer, "keep", lambda self: lambda: None)


def newcomers_remember_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(RecurrentState, "take", lambda self, state: None)


def replicas_are_taken_over_before_the_vote(patch: pytest.MonkeyPatch) -> None:
    whole = Replicas.offer

    def offer(self: Any) -> None:
        whole(self)
        self.adopt()

    patch.setattr(Replicas, "offer", offer)


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
    (replicas_are_one_iteration_old, "sharded", 0),
    (replicas_are_not_renewed_after_a_recovery, "two_stages", 0),
    (shares_have_the_bounds_of_the_old_size, "sharded", 0),
    (gradients_of_who_has_died_are_forgotten, "optimizer_accumulate", 0),
    (accumulated_gradients_are_not_put_back, "optimizer_accumulate", 0),
    (newcomers_remember_nothing, "recurrent", 0),
    (replicas_are_taken_over_before_the_vote, "sharded", 0),
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
        yield draw(mode, number)
        yield Case(mode, number, ranks=MODES[mode].stages or 2, spares=1, faults=(Fault(number % 2, number // 2),))
