"""How long the next new process waits after some have died at once."""

import pytest

pytest.importorskip("mpi4py")
from renga_comm_base.members import Member, Role
from renga_comm_mpi.resilient.backoff import Backoff


def member(pid, role=Role.ACTIVE):
    return Member(role, None, None, 0, False, ("here", pid))


def live(backoff, pid, since, until, leaves=False):
    """A process is called, joins a second later, and dies."""
    backoff.note([member(0), member(pid, Role.STARTING)], since)
    backoff.note([member(0), member(pid)], since + 1)
    if leaves:
        backoff.note([member(0), member(pid, Role.LEAVING)], until)
    backoff.note([member(0)], until)


def test_it_doubles_up_to_a_minute():
    backoff, waits = Backoff(), []
    for pid in range(1, 10):
        live(backoff, pid, 100 * pid, 100 * pid + 3)
        waits.append(backoff.seconds)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_no_wait_at_first_and_after_one_that_lived():
    backoff = Backoff()
    assert backoff.seconds == 0
    live(backoff, 1, 0, 3)
    live(backoff, 2, 10, 13)
    assert (backoff.deaths, backoff.seconds) == (2, 2)
    live(backoff, 3, 20, 60)
    assert (backoff.deaths, backoff.seconds) == (0, 0)


def test_one_that_lives_ends_the_row_before_it_dies():
    backoff = Backoff()
    live(backoff, 1, 0, 3)
    backoff.note([member(0), member(2, Role.STARTING)], 10)
    backoff.note([member(0), member(2)], 11)
    backoff.note([member(2)], 50)  # another one dies
    assert backoff.seconds == 0


def test_a_slow_start_that_fails_counts():
    backoff = Backoff()
    backoff.note([member(0), member(1, Role.STARTING)], 0)
    backoff.note([member(0)], 100)
    assert backoff.seconds == 1


def test_who_leaves_as_asked_and_who_was_there_from_the_start_does_not_count():
    backoff = Backoff()
    live(backoff, 1, 0, 3, leaves=True)
    backoff.note([member(0), member(7)], 4)
    backoff.note([member(0)], 5)
    assert backoff.seconds == 0
