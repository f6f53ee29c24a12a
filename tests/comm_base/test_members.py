"""Who takes which place: cases, and what holds for any."""

import itertools

import pytest

from renga_comm_base.members import Member, Role, arrange, to_call
from renga_comm_base.places import Places
from renga_comm_base.resilience import Change

HERE = ("here", 1)


def active(place, size, has_state=True, splits=0, seat=None):
    return Member(Role.ACTIVE, place, place if seat is None else seat, size, has_state, HERE, splits)


def waiting(splits=0):
    return Member(Role.WAITING, None, None, 0, False, HERE, splits)


def leaving(place, size):
    return Member(Role.LEAVING, place, place, size, True, HERE)


def dormant(grows=False, role=Role.DORMANT):
    return Member(role, None, None, 0, False, HERE, grows=grows)


def starting(grows=False):
    return dormant(grows, Role.STARTING)


def ended(place, size):
    return Member(Role.ENDED, place, place, size, True, HERE)


CASES = {
    "nothing": ([active(0, 2), active(1, 2)], 2, (0, 1), (0, 1), Change((0, 1))),
    "a spare": ([active(1, 2), waiting()], 2, (1, 0), (0, 1), Change((None, 1), (0,))),
    "fewer": ([active(0, 3), active(2, 3)], 3, (0, 1), (0, 2), Change((0, 2), (1,))),
    "a vacant place": ([active(0, 1), waiting(), waiting()], 2, (0, 1), (0, 1), Change((0, None))),
    "a seat that was vacant": ([active(0, 1, seat=1), waiting()], 2, (1, 0), (0, 1), Change((None, 0))),
    "without state": ([active(0, 2, False), active(1, 2)], 2, (0, 1), (0, 1), Change((None, 1))),
    "leaves": ([active(0, 2), leaving(1, 2)], 2, (0,), (0,), Change((0,), (), (1,))),
    "leaves for a spare": ([leaving(0, 2), active(1, 2), waiting()], 2, (2, 1), (0, 1), Change((None, 1), (), (0,))),
    "stays until another has the state": ([leaving(0, 1), waiting()], 2, (0, 1), (0, 1), Change((0, None))),
    "a seat beyond the full number": ([leaving(0, 1), waiting()], 1, (0, 1), (0, 1), Change((0, None))),
    "leaves when another has the state": ([leaving(0, 2), active(1, 2)], 1, (1,), (1,), Change((1,), (), (0,))),
    "stays for one that is dormant": ([leaving(0, 1), dormant()], 1, (0,), (0,), Change((0,))),
    "ended": ([active(0, 2), ended(1, 2)], 2, (0,), (0,), Change((0,), (), (1,))),
    "a spare with more groups": ([active(0, 2, splits=1), waiting(2)], 2, (0,), (0,), Change((0,), (1,))),
}


@pytest.mark.parametrize("case", CASES)
def test_cases(case):
    members, full, order, seats, change = CASES[case]
    found = arrange(members, full)
    assert (found.order, found.seats, found.change) == (order, seats, change)


@pytest.mark.parametrize(
    ("members", "full", "order", "seats"),
    [
        ([leaving(0, 2), active(1, 2), waiting()], 2, (1,), (1,)),
        ([active(0, 2), active(1, 2), waiting()], 3, (0, 1, 2), (0, 1, 2)),
        ([active(0, 1, seat=1), waiting(), waiting()], 2, (1, 0), (0, 1)),
        ([active(0, 1, seat=3), waiting()], 1, (0,), (3,)),
    ],
)
def test_who_leaves_takes_the_seat_along(members, full, order, seats):
    found = arrange(members, full, shrinks=True)
    assert (found.order, found.seats) == (order, seats)


@pytest.mark.parametrize("members", [[waiting()], [ended(0, 2), ended(1, 2)], [leaving(0, 1)], []])
def test_nobody_goes_on(members):
    assert arrange(members, 2) is None


@pytest.mark.parametrize(("full", "spares"), list(itertools.product((1, 2, 3, 4), (0, 1, 2))))
def test_any_deaths(full, spares):
    for alive in itertools.product((True, False), repeat=full):
        members = [active(place, full) for place, there in enumerate(alive) if there] + [waiting()] * spares
        found = arrange(members, full)
        if not any(alive):
            assert found is None
            continue
        survivors = [place for place, there in enumerate(alive) if there]
        assert found.change.lost == tuple(place for place, there in enumerate(alive) if not there)
        assert len(found.order) == min(full, len(survivors) + spares)
        assert len(set(found.order)) == len(found.order)
        assert [one for one in found.change.previous if one is not None] == survivors
        if len(found.order) == full:
            assert all(previous in (None, rank) for rank, previous in enumerate(found.change.previous))
        assert found.change.previous[found.change.source] == survivors[0]


@pytest.mark.parametrize(
    ("members", "places", "called"),
    [
        ([active(0, 2), active(1, 2), dormant()], Places(2), ()),
        ([active(0, 2), dormant(), dormant()], Places(2), (1,)),
        ([active(0, 3), dormant(), dormant()], Places(3), (1, 2)),
        ([active(0, 3), dormant()], Places(3), (1,)),
        ([active(0, 2), starting(), dormant()], Places(2), ()),  # one is on its way
        ([active(0, 3), starting(), dormant()], Places(3), (2,)),
        ([active(0, 2), waiting(), dormant()], Places(2), ()),  # a spare comes at once
        ([active(0, 2), dormant(True)], Places(2), ()),  # that is for requests
        ([active(0, 2), dormant(), dormant(True)], Places(2, 1, 1), (2,)),
        ([active(0, 2), dormant(), dormant(True), dormant(True)], Places(3, 1, 1), (1, 2)),
        ([active(0, 2), starting(True), dormant(True)], Places(2, 1, 1), ()),
        ([leaving(0, 1), dormant()], Places(1), (1,)),
        ([leaving(0, 1), starting(), dormant()], Places(1), ()),
        ([leaving(0, 1), dormant(True), dormant(True)], Places(1), (1,)),  # whoever comes
        ([leaving(0, 1), waiting(), dormant(True)], Places(2), ()),  # one has come
        ([leaving(0, 1), waiting(), dormant()], Places(1), ()),
        ([leaving(0, 2), leaving(1, 2), dormant(), dormant(), dormant()], Places(2), (2, 3)),
    ],
)
def test_who_is_called(members, places, called):
    assert to_call(members, arrange(members, places.total), places) == called


def test_a_dormant_process_takes_no_place():
    members = [active(0, 2), dormant(), starting()]
    assert arrange(members, 2).order == (0,)
    assert arrange([dormant(), starting()], 2) is None
