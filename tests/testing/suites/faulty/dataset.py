"""Data sets that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools

import numpy as np

from renga_core.dataset import DatasetMixin


class Numbers(DatasetMixin):
    """Pairs of a row of three numbers and a class."""

    def __init__(self, start: int, size: int) -> None:
        self.start, self.size = start, size
        self.asked = 0

    def __len__(self):
        return self.size

    def get_example(self, i):
        if not -self.size <= i < self.size:
            raise IndexError(i)
        self.asked += 1
        return self.example(self.start + i % self.size)

    def example(self, number):
        return np.full(3, number, np.float32), np.int32(number % 2)


class Right:
    """Returns the pair: the rest of this file derives from it."""

    Part = Numbers

    def __new__(cls):
        return cls.pair()

    @classmethod
    def pair(cls):
        return cls.Part(1, 12), cls.Part(102, 5)


class Preprocessing:
    """Knows the names of two classes."""

    def __init__(self, classes=("even", "odd")) -> None:
        self.classes = classes

    def read(self, path):
        yield path, np.zeros(3, np.float32)

    def as_document(self):
        return {"classes": list(self.classes)}

    @classmethod
    def from_document(cls, document):
        return cls(tuple(document["classes"]))


class Told(tuple):
    """A pair with a preprocessing."""

    def __new__(cls, pair, preprocessing):
        made = super().__new__(cls, pair)
        made.preprocessing = preprocessing
        return made


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
    declares = {"unshared"}

    @classmethod
    def pair(cls):
        return Told(super().pair(), Preprocessing())


class TrainOnly(Right):
    """it returns the part to train on alone"""

    breaks = "test_pair"

    @classmethod
    def pair(cls):
        return cls.Part(1, 12)


class NothingToTest(Right):
    """nothing is left to test with"""

    breaks = "test_pair"

    @classmethod
    def pair(cls):
        return cls.Part(1, 12), cls.Part(13, 0)


class Unseeded(Right):
    """each time that it is made, it has other examples"""

    breaks = "test_made_again"
    numbers = itertools.count()

    @classmethod
    def pair(cls):
        start = 1000 * next(cls.numbers)
        return cls.Part(start, 12), cls.Part(start + 500, 5)


class TestsWhatItLearnt(Right):
    """the part for testing is the beginning of the part to train on"""

    breaks = "test_train_and_test_differ"

    @classmethod
    def pair(cls):
        return cls.Part(1, 12), cls.Part(1, 5)


class OneBuffer(Right):
    """both parts write their examples into one array"""

    breaks = "test_train_and_test_differ"

    class Part(Numbers):
        buffer = np.zeros(3, np.float32)

        def example(self, number):
            self.buffer[...] = number
            return self.buffer, np.int32(number % 2)


class Augmenting(Right):
    """an example is another each time"""

    breaks = "test_same_example_again"

    class Part(Numbers):
        def example(self, number):
            return np.full(3, number + self.asked / 100, np.float32), np.int32(number % 2)


class InTurn(Right):
    """it gives the next example, whichever is asked for"""

    breaks = "test_same_example_again"

    class Part(Numbers):
        def get_example(self, i):
            self.asked += 1
            return self.example(self.start + self.asked % self.size)


class SometimesUnlabelled(Right):
    """one example has no class"""

    breaks = "test_structure"

    class Part(Numbers):
        def example(self, number):
            return super().example(number)[: 1 if number == 12 else 2]


class OtherTypeInTest(Right):
    """examples for testing are in double precision"""

    breaks = "test_structure"

    class Part(Numbers):
        def example(self, number):
            row, label = super().example(number)
            return row.astype(np.float64 if number > 100 else np.float32), label


class OfAnyLength(Right):
    """rows differ in length, and it does not declare ragged"""

    breaks = "test_shapes"

    class Part(Numbers):
        def example(self, number):
            return np.full(number, number, np.float32), np.int32(number % 2)


class RaggedByName(Right):
    """it declares ragged, and all rows are of one length"""

    breaks = "test_shapes"
    declares = {"ragged"}


class OnDevice(Right):
    """examples are arrays of a library of its own"""

    breaks = "test_host_arrays"

    class Part(Numbers):
        class Array:
            dtype, shape = np.dtype(np.float32), (3,)

        def example(self, number):
            return self.Array(), np.int32(number % 2)


class Views(Right):
    """it declares unshared, and gives rows of its own array"""

    breaks = "test_changed_examples"
    declares = {"unshared"}

    class Part(Numbers):
        def __init__(self, start: int, size: int) -> None:
            super().__init__(start, size)
            self.rows = np.arange(start, start + size, dtype=np.float32)[:, None].repeat(3, 1)

        def example(self, number):
            return self.rows[number - self.start], np.int32(number % 2)


class ReadOnly(Right):
    """it declares unshared, and its arrays cannot be written to"""

    breaks = "test_changed_examples"
    declares = {"unshared"}

    class Part(Numbers):
        def example(self, number):
            return np.broadcast_to(np.float32(number), 3), np.int32(number % 2)


class Endless(Right):
    """after the last example it gives the first again"""

    breaks = "test_ends"

    class Part(Numbers):
        def get_example(self, i):
            return self.example(self.start + i % self.size)


class Stopping(Right):
    """after the last example it raises StopIteration"""

    breaks = "test_ends"

    class Part(Numbers):
        def get_example(self, i):
            if i >= self.size:
                raise StopIteration
            return super().get_example(i)


class FromTheFront(Right):
    """of a negative index it does not heed the sign"""

    breaks = "test_negative_indices"

    class Part(Numbers):
        def get_example(self, i):
            return super().get_example(abs(i) if i >= -self.size else i)


class PlainIntegers(Right):
    """an index must be of the class int"""

    breaks = "test_numpy_indices"

    class Part(Numbers):
        def __getitem__(self, index):
            if type(index) is not int:
                raise TypeError(f"an index is an int, not {index!r}")
            return self.get_example(index)


class OneAtATime(Right):
    """it is a DatasetMixin, and of a slice it gives the first example only"""

    breaks = "test_several_indices"

    class Part(Numbers):
        def __getitem__(self, index):
            return super().__getitem__(index)[:1] if isinstance(index, slice) else super().__getitem__(index)


class HoldsAFile(Right):
    """it keeps a file open"""

    breaks = "test_pickling"

    class Part(Numbers):
        def example(self, number):
            self.file = open(__file__, encoding="utf-8")  # noqa: SIM115
            self.file.close()
            return super().example(number)


class StaysHere(Right):
    """where it begins is not sent along"""

    breaks = "test_pickling"

    class Part(Numbers):
        def __getstate__(self):
            return {**vars(self), "start": 0}


class Forgetful(Right):
    """its preprocessing, kept as JSON, loses the classes"""

    breaks = "test_preprocessing"

    class Preprocessing(Preprocessing):
        @classmethod
        def from_document(cls, document):
            return cls(())

    @classmethod
    def pair(cls):
        return Told(super().pair(), cls.Preprocessing())


class Unreadable(Right):
    """its preprocessing reads no files"""

    breaks = "test_preprocessing"

    @classmethod
    def pair(cls):
        return Told(super().pair(), {"classes": ["even", "odd"]})
