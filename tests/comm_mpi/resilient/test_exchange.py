"""Messages that say whether they are what their rank has sent."""

import pytest

pytest.importorskip("mpi4py")
from renga_comm_base.resilience import RanksLost
from renga_comm_mpi.resilient.exchange import exchange


class Comm:
    """One of three ranks; the others' messages are as given."""

    size = 3

    def __init__(self, spoil=lambda slots: None):
        self._spoil = spoil

    def Allgather(self, own, slots):
        for rank in range(self.size):
            slots[rank * len(own) : (rank + 1) * len(own)] = own
        self._spoil(slots)


def test_what_all_have_told():
    assert exchange(Comm(), ("a", 1)) == [("a", 1)] * 3


def zero(slots):
    slots[len(slots) // 3 :] = bytes(2 * len(slots) // 3)


def shift(slots):
    slots[:-1] = slots[1:]


def flip(slots):
    slots[12] ^= 1


def enlarge(slots):
    slots[3] = 255  # the length


@pytest.mark.parametrize("spoil", [zero, shift, flip, enlarge])
def test_what_nobody_has_sent_is_found(spoil):
    with pytest.raises(RanksLost, match="told each other who they are"):
        exchange(Comm(spoil), ("a", 1))


def test_a_long_message_is_refused():
    with pytest.raises(AssertionError):
        exchange(Comm(), "x" * 2000)
