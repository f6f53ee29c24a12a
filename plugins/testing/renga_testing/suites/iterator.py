"""`IteratorSuite`: the kit of iterators. How to write one: docs/how-to/write-an-iterator.md."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Iterator as Iterable
from typing import Any, ClassVar

import pytest

from renga_core.dataset import Dataset, Iterator
from renga_core.kinds import ITERATOR
from renga_core.plugin.state import describe_error
from renga_testing.saving import copy_state, saved_state
from renga_testing.suites.global_state import start_random
from renga_testing.suites.suite import ProviderSuite

__all__ = ["IteratorSuite"]

NUMBERS = list(range(10))
BATCH_SIZE = 4
BATCHES = 6
"""Batches of 4 examples in epochs of 10: the third batch belongs to two epochs, and the fifth ends an epoch."""
CUTS = (1, 3, 5)
MANY = list(range(200))


class _Raising(list[int]):
    """A data set whose example 6 raises an error of the given class."""

    def __init__(self, error: type[Exception]) -> None:
        super().__init__(NUMBERS)
        self.error = error

    def __getitem__(self, index: Any) -> Any:
        if index == 6:
            raise self.error("example 6 is damaged")
        return super().__getitem__(index)

    def __reduce__(self) -> Any:
        return _Raising, (self.error,)


class IteratorSuite(ProviderSuite):
    """Tests of an iterator, over a list of numbers.

    Attributes:
        seconds_to_end: Time limit for its threads and processes to end after `finalize`.
    """

    kind = ITERATOR
    seconds_to_end: ClassVar[float] = 5.0

    @pytest.fixture(autouse=True)
    def _finalizes(self) -> Iterable[None]:
        """Each iterator that a test makes is finalized after it."""
        self._made: list[Any] = []
        yield
        for made in self._made:
            made.finalize()

    def make(
        self,
        dataset: Dataset = NUMBERS,
        batch_size: int = BATCH_SIZE,
        repeat: bool = True,
        shuffle: bool | None = None,
        seed: int = 0,
    ) -> Any:
        """A new iterator, made with `options` after the library's random numbers are seeded."""
        start_random(seed)
        try:
            made = self.target(dataset, batch_size, repeat=repeat, shuffle=shuffle, **self.options)
        except Exception as error:
            raise AssertionError(
                f"{self.label} cannot be made with batch_size={batch_size}, repeat={repeat}, shuffle={shuffle} "
                f"and options {dict(self.options)}: {describe_error(error)}"
            ) from error
        self._made.append(made)
        return made

    # --- batches ----------------------------------------------------------------------------------------------------

    def test_what_it_is(self) -> None:
        """It is an `Iterator`, and knows its batch size and whether it repeats."""
        for repeat in (True, False):
            made = self.make(repeat=repeat)
            assert isinstance(made, Iterator), f"{self.label} makes a {type(made).__qualname__}; expected an Iterator"
            known = getattr(made, "batch_size", None), getattr(made, "repeat", None)
            assert known == (BATCH_SIZE, repeat), f"batch_size and repeat are {known}; expected {(BATCH_SIZE, repeat)}"

    def test_batches(self) -> None:
        """A batch is a list of `batch_size` examples; each example occurs once per epoch, across batches."""
        made, stream = self.make(), []
        for number in range(1, BATCHES):
            batch = next(made)
            full = isinstance(batch, list) and len(batch) == BATCH_SIZE
            assert full, f"batch {number} is {batch!r}; expected a list of {BATCH_SIZE} examples"
            stream += batch
        for epoch in (0, 1):
            got = stream[10 * epoch : 10 * epoch + 10]
            assert sorted(got) == NUMBERS, f"epoch {epoch} has the examples {got}; expected each of 0 to 9 once"

    def test_one_epoch(self) -> None:
        """Without `repeat` it stops for good after one epoch; without examples it stops at once."""
        for dataset in (NUMBERS, NUMBERS[:8], []):
            made = self.make(dataset, repeat=False)
            batches = [batch for batch, _ in zip(made, range(BATCHES), strict=False)]
            got = sorted(example for batch in batches for example in batch)
            assert got == dataset, f"without repeat, it gives the examples {got}; expected {dataset}"
            short = [len(batch) for batch in batches[:-1] if len(batch) != BATCH_SIZE]
            assert not short, f"without repeat, a batch before the last has {short[:1]} examples"
            again = next(made, None)
            assert again is None, f"after the end, it gives {again}; expected StopIteration"

    def test_in_order(self) -> None:
        """With ``shuffle=False``, examples come in the order of the data set, in each epoch."""
        got = self._batches(self.make(shuffle=False), 5)
        right = [[(4 * number + i) % 10 for i in range(4)] for number in range(5)]
        assert got == right, f"with shuffle=False, it gives {got}; expected {right}"

    def test_shuffles(self) -> None:
        """By default it shuffles, anew in each epoch."""
        made = self.make(MANY, len(MANY))
        first, second = self._batches(made, 2)
        assert first != MANY, "examples come in the order of the data set, although shuffle is not False"
        assert first != second, "the second epoch has the order of the first"

    def test_order_depends_on_the_seed_only(self) -> None:
        """Two iterators that are made with the same seed give the same batches."""
        one, other = (self._batches(self.make(), BATCHES) for _ in range(2))
        assert one == other, "made twice with the same seed, it gives different batches"

    # --- position ------------------------------------------------------------------------------------------------

    def test_counts(self) -> None:
        """`epoch`, `is_new_epoch`, `epoch_detail` and `previous_epoch_detail` are correct after each batch."""
        made = self.make()
        for used in range(0, BATCH_SIZE * BATCHES, BATCH_SIZE):
            if used:
                next(made)
            before = max(used - BATCH_SIZE, 0)
            right = {
                "epoch": used // 10,
                "is_new_epoch": used // 10 > before // 10,
                "epoch_detail": used / 10,
                "previous_epoch_detail": before / 10 if used else None,
            }
            for name, value in right.items():
                got = getattr(made, name, "missing")
                same = got is value if value is None else not isinstance(got, str) and got == pytest.approx(value)
                assert same, f"after {used} examples of epochs of 10, {name} is {got}; expected {value}"

    def test_resume_equals_uninterrupted(self) -> None:
        """A saved state continues in an iterator with another seed, a new one or one that has run itself."""
        right = self._steps(self.make(), BATCHES)
        for cut in CUTS:
            first = self.make()
            self._steps(first, cut)
            for already in (0, BATCHES):
                resumed = self.make(seed=1)
                self._steps(resumed, already)
                copy_state(first, resumed)
                got = self._steps(resumed, BATCHES - cut)
                after = f"{already} batches of its own" if already else "none"
                assert got == right[cut:], (
                    f"saved after batch {cut} and loaded after {after}, it continues with {got}; expected {right[cut:]}"
                )

    def test_saving_changes_nothing(self) -> None:
        """Saving after each batch does not change the batches."""
        right, made, got = self._steps(self.make(), BATCHES), self.make(), []
        for _ in range(BATCHES):
            got += self._steps(made, 1)
            saved_state(made)
        assert got == right, f"saved after each batch, it gives {got}; without saving it gives {right}"

    # --- errors, and the end ----------------------------------------------------------------------------------------

    def test_errors_of_examples(self) -> None:
        """An error of the data set reaches the caller; StopIteration of the data set is not the end of the data."""
        for error in (KeyError, StopIteration):
            made = self.make(_Raising(error), repeat=False, shuffle=False)
            try:
                got: Any = [batch for batch, _ in zip(made, range(BATCHES), strict=False)]
            except Exception:
                continue
            raise AssertionError(f"example 6 raises {error.__name__}, but the iterator gives {got} and no error")

    def test_finalize(self) -> None:
        """It can be finalized at any time, more than once; then none of its threads and processes are left."""
        before = set(threading.enumerate()), set(multiprocessing.active_children())
        for batches in (0, 2):
            made = self.make()
            self._batches(made, batches)
            for time_ in ("", " a second time"):
                try:
                    made.finalize()
                except Exception as error:
                    raise AssertionError(f"finalize(), called{time_}, raises {describe_error(error)}") from error
        end = time.monotonic() + self.seconds_to_end
        while left := _running() - before[0] - before[1]:
            assert time.monotonic() < end, f"after finalize() {next(iter(left)).name} still runs"
            time.sleep(0.01)

    # --- helpers ----------------------------------------------------------------------------------------------------

    def _batches(self, made: Any, number: int) -> list[list[Any]]:
        return [next(made) for _ in range(number)]

    def _steps(self, made: Any, number: int) -> list[tuple[list[Any], Any]]:
        """The next batches, each with the position after it."""
        return [(next(made), round(made.epoch_detail, 6)) for _ in range(number)]


def _running() -> set[Any]:
    return {*threading.enumerate(), *multiprocessing.active_children()}
