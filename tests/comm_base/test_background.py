"""Means that go on while the caller computes."""

import threading

import numpy as np
import pytest

from renga_comm_base.background import Background, Done
from renga_distributed.single import SingleCommunicator


class Slow(SingleCommunicator):
    """Computes no mean before it is let go; remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.asked: list[float] = []
        self.configs: list[object] = []
        self.threads: set[int] = set()
        self.finalized = False

    def mean(self, arrays):
        assert self.go.wait(10)
        self.threads.add(threading.get_ident())
        self.asked.append(float(arrays[0][0]) if arrays else -1.0)
        self.configs.append(self.get_config("bucket_bytes"))
        if self.asked[-1] == 13:
            raise ArithmeticError("thirteen")
        return super().mean(arrays)

    def finalize(self) -> None:
        self.finalized = True


@pytest.fixture
def slow():
    return Slow()


def begin(background, number):
    return background.begin([np.full(2, float(number))], {"bucket_bytes": number})


def test_they_run_in_their_order_in_another_thread(slow) -> None:
    background = Background(slow)
    requests = [begin(background, number) for number in range(5)]
    assert not any(request.test() for request in requests)
    slow.go.set()
    for number in (3, 0, 4, 1, 2):
        np.testing.assert_array_equal(requests[number].wait()[0], [number, number])
        assert requests[number].test()
    assert slow.asked == [0, 1, 2, 3, 4]
    assert slow.configs == [0, 1, 2, 3, 4]  # each with that of its time
    assert len(slow.threads) == 1
    assert threading.get_ident() not in slow.threads
    background.close()


def test_an_error_is_raised_where_somebody_waits_each_time(slow) -> None:
    background = Background(slow)
    slow.go.set()
    wrong, right = begin(background, 13), begin(background, 14)
    for _ in range(2):
        with pytest.raises(ArithmeticError, match="thirteen"):
            wrong.wait()
    assert wrong.test()
    np.testing.assert_array_equal(right.wait()[0], [14, 14])  # what comes after it is not harmed
    background.close()


def test_close_waits_for_what_has_begun_and_finalizes(slow) -> None:
    background = Background(slow)
    request = begin(background, 1)
    threading.Timer(0.05, slow.go.set).start()
    background.close()
    assert request.test()
    assert slow.finalized


def test_means_of_nothing(slow) -> None:
    background = Background(slow)
    slow.go.set()
    assert background.begin([], {"bucket_bytes": 0}).wait() == []
    background.close()


def test_arrays_are_let_go_when_it_has_ended(slow) -> None:
    import weakref

    background = Background(slow)
    slow.go.set()
    array = np.ones(3)
    alive = weakref.ref(array)
    request = background.begin([array], {"bucket_bytes": 0})
    del array
    request.wait()
    background.close()
    assert alive() is None


def test_what_ended_when_it_began() -> None:
    result = [np.ones(2)]
    assert Done(result).test()
    assert Done(result).wait() is result
