"""Offsets of arrays that are needed for some steps only."""

from hypothesis import given
from hypothesis import strategies as st

from renga_backend_numpy.lifetimes import Needed, packed

PIECES = st.lists(
    st.builds(
        lambda size, first, length: Needed(size, first, first + length),
        st.integers(1, 500),
        st.integers(0, 20),
        st.integers(0, 5),
    ),
    max_size=20,
)


@given(PIECES)
def test_what_is_needed_at_the_same_time_does_not_overlap(pieces):
    begins, size = packed(pieces)
    for i, (a, begin) in enumerate(zip(pieces, begins, strict=True)):
        assert begin % 64 == 0
        assert begin + a.size <= size
        for b, other in list(zip(pieces, begins, strict=True))[:i]:
            apart = begin + a.size <= other or other + b.size <= begin
            assert apart or a.last < b.first or b.last < a.first
    assert size <= sum(-(-piece.size // 64) * 64 for piece in pieces)


def test_places_are_used_again():
    chain = [Needed(100, step, step + 1) for step in range(10)]
    assert packed(chain)[1] == 228
