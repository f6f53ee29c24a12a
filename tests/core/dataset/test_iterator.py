import pytest

from renga_core.dataset import Iterator


class Countdown(Iterator):
    def __init__(self, n: int, log: list[str]) -> None:
        self.n = n
        self.log = log

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return [self.n]

    def finalize(self):
        self.log.append("finalized")


def test_next_and_for_agree():
    iterator = Countdown(3, [])
    assert iterator.next() == [2]
    assert list(iterator) == [[1], [0]]


def test_with_finalizes_also_after_an_error():
    log: list[str] = []
    iterator = Countdown(3, log)
    with pytest.raises(KeyError), iterator:
        raise KeyError
    assert log == ["finalized"]


def test_garbage_is_finalized():
    log: list[str] = []
    Countdown(3, log)
    assert log == ["finalized"]
