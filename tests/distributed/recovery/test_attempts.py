"""Errors in an attempt: which ones are repeated with the others."""

from types import SimpleNamespace

import pytest

from renga_comm_base.resilience import RanksLost
from renga_distributed.recovery.membership import Membership


class Trial(Membership):
    """Its group recovers at once."""

    def recover(self):
        self.communicator.is_lost = False


Trial.__abstractmethods__ = frozenset()  # attempts need none of them


def attempt(error, is_lost):
    """What happened in an attempt whose first work raises an error."""
    trial = Trial(SimpleNamespace(is_spare=False, lacks_state=False, is_lost=is_lost))
    happened, errors = [], [error]

    def work():
        happened.append("work")
        if errors:
            raise errors.pop()
        return "done"

    assert trial.attempt(lambda: lambda: happened.append("undo"), work) == "done"
    return happened


def test_a_loss_is_repeated_and_so_is_an_error_that_may_follow_from_one():
    assert attempt(RanksLost("died"), is_lost=False) == ["work", "undo", "work"]
    assert attempt(FloatingPointError("of wrong results"), is_lost=True) == ["work", "undo", "work"]


def test_other_errors_are_the_program_s():
    with pytest.raises(FloatingPointError):
        attempt(FloatingPointError("of the program"), is_lost=False)
    with pytest.raises(KeyboardInterrupt):
        attempt(KeyboardInterrupt(), is_lost=True)
