"""How many ranks a job is to have."""

import pytest

from renga_comm_base.places import Places


@pytest.mark.parametrize(
    ("before", "requests", "after"),
    [
        (Places(2), 0, Places(2)),
        (Places(2), 1, Places(3, 1, 1)),
        (Places(2, 1, 1), 1, Places(2, 1, 1)),
        (Places(2), 5, Places(4, 5, 2)),  # the rest is dropped
        (Places(4, 5), 6, Places(4, 6)),
        (Places(1, 5), 6, Places(2, 6, 1)),  # after three have left
    ],
)
def test_requests_raise_them_up_to_the_maximum(before, requests, after):
    assert before.with_requests(requests, 4) == after


@pytest.mark.parametrize(
    ("before", "size", "left", "growing", "others", "after"),
    [
        (Places(3, 1, 1), 2, 0, 2, 0, Places(3, 1, 1)),  # a newcomer is still to come
        (Places(3, 1, 1), 2, 0, 0, 0, Places(2, 1)),  # none is left that could
        (Places(3, 1, 1), 3, 0, 1, 0, Places(3, 1)),  # it, or a spare, has come
        (Places(4), 1, 3, 4, 5, Places(1)),  # three leave and are not replaced
        (Places(3), 2, 0, 3, 0, Places(2)),  # one has died, and nobody can take its place
        (Places(3), 2, 0, 0, 1, Places(3)),
        (Places(4, 1, 1), 2, 0, 3, 0, Places(3, 1, 1)),  # one has died, one is still to come
        (Places(4, 1, 1), 2, 1, 3, 0, Places(3, 1, 1)),
    ],
)
def test_they_are_those_that_somebody_can_take(before, size, left, growing, others, after):
    assert before.with_ranks(size, left, growing, others) == after
