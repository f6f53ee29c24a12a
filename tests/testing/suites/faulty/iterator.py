"""Iterators that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import threading

import numpy as np

from renga_core import random
from renga_core.dataset import Iterator
from renga_core.serializers import Deserializer


class Right(Iterator):
    """Gets examples one by one; each epoch has an order from a seed. The rest of this file derives from it."""

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None):
        self.dataset, self.batch_size, self.repeat, self.shuffle = dataset, batch_size, repeat, shuffle
        self.seed = random.spawn_seed()
        self.used = 0

    def order(self, epoch):
        size = len(self.dataset)
        if self.shuffle is False:
            return np.arange(size)
        return np.random.default_rng([self.seed, epoch]).permutation(size)

    def index(self, position):
        epoch, place = divmod(position, len(self.dataset))
        return int(self.order(epoch)[place])

    def __next__(self):
        size = self.batch_size
        if not self.repeat:
            size = min(size, len(self.dataset) - self.used)
            if size <= 0:
                raise StopIteration
        batch = [self.example(self.index(self.used + i)) for i in range(size)]
        self.used += size
        self.last = size
        return batch

    def example(self, index):
        try:
            return self.dataset[index]
        except StopIteration as error:
            raise RuntimeError("an example raised StopIteration") from error

    last = 0
    epoch = property(lambda self: self.used // max(len(self.dataset), 1))
    epoch_detail = property(lambda self: self.used / max(len(self.dataset), 1))
    is_new_epoch = property(lambda self: self.epoch > (self.used - self.last) // max(len(self.dataset), 1))
    previous_epoch_detail = property(
        lambda self: (self.used - self.last) / max(len(self.dataset), 1) if self.used else None
    )

    def serialize(self, serializer):
        self.used = serializer("used", self.used)
        self.last = serializer("last", self.last)
        self.seed = serializer("seed", self.seed)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Sizeless(Right):
    """it does not tell its batch size"""

    breaks = "test_what_it_is"
    batch_size = property(lambda self: None, lambda self, value: setattr(self, "size", value))


class Tuples(Right):
    """batches are tuples"""

    breaks = "test_batches"

    def __next__(self):
        return tuple(super().__next__())


class WithReplacement(Right):
    """examples are drawn at random, some twice in an epoch"""

    breaks = "test_batches"

    def order(self, epoch):
        return np.random.default_rng([self.seed, epoch]).integers(0, len(self.dataset), len(self.dataset))


class DropsTheRest(Right):
    """without repeat, a last batch that is not full is dropped"""

    breaks = "test_one_epoch"

    def __next__(self):
        batch = super().__next__()
        if len(batch) < self.batch_size:
            raise StopIteration
        return batch


class BeginsAgain(Right):
    """after it has stopped it begins again"""

    breaks = "test_one_epoch"

    def __next__(self):
        try:
            return super().__next__()
        except StopIteration:
            self.used = 0
            raise


class AlwaysShuffles(Right):
    """it shuffles although it is told not to"""

    breaks = "test_in_order"

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None):
        super().__init__(dataset, batch_size, repeat, True)


class NeverShuffles(Right):
    """it does not shuffle unless it is told to"""

    breaks = "test_shuffles"

    def __init__(self, dataset, batch_size, repeat=True, shuffle=False):
        super().__init__(dataset, batch_size, repeat, bool(shuffle))


class OneOrder(Right):
    """all epochs have the order of the first"""

    breaks = "test_shuffles"

    def order(self, epoch):
        return super().order(0)


class Unseeded(Right):
    """its seed is the system's"""

    breaks = "test_order_depends_on_the_seed_only"

    def __init__(self, dataset, batch_size, repeat=True, shuffle=None):
        super().__init__(dataset, batch_size, repeat, shuffle)
        self.seed = int(np.random.SeedSequence().entropy % 2**32)


class NewEpochOnce(Right):
    """only a batch that ends at the border of an epoch completes one"""

    breaks = "test_counts"
    is_new_epoch = property(lambda self: self.used > 0 and self.used % len(self.dataset) == 0)


class FromZero(Right):
    """before the first batch, it tells of one before"""

    breaks = "test_counts"
    previous_epoch_detail = 0.0


class ForgetsItsPlace(Right):
    """where it is in an epoch is not saved"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        self.seed = serializer("seed", self.seed)
        self.used = serializer("epoch", self.epoch) * len(self.dataset)


class ForgetsItsSeed(Right):
    """the seed of its orders is not saved"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        self.used = serializer("used", self.used)
        self.last = serializer("last", self.last)


class LoadsOnce(Right):
    """what is loaded is taken only if it has not begun"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        if not (isinstance(serializer, Deserializer) and self.used):
            super().serialize(serializer)


class SavesTheBorder(Right):
    """when it is saved it goes on to the next epoch"""

    breaks = "test_saving_changes_nothing"

    def serialize(self, serializer):
        super().serialize(serializer)
        if not isinstance(serializer, Deserializer):
            self.used += -self.used % len(self.dataset)


class SkipsDamaged(Right):
    """an example that raises an error is left out"""

    breaks = "test_errors_of_examples"

    def __next__(self):
        try:
            return super().__next__()
        except KeyError:
            self.used += self.batch_size
            return super().__next__()


class EndsEarly(Right):
    """StopIteration from an example ends it"""

    breaks = "test_errors_of_examples"

    def example(self, index):
        return self.dataset[index]


class FinalizedOnce(Right):
    """it cannot be finalized twice"""

    breaks = "test_finalize"
    open = True

    def finalize(self):
        assert self.open, "it is finalized"
        self.open = False

    def __del__(self):
        pass


class LeavesAThread(Right):
    """its thread goes on"""

    breaks = "test_finalize"
    kit = {"seconds_to_end": 0.2}

    def __next__(self):
        threading.Thread(target=threading.Event().wait, name="a thread of its own", daemon=True).start()
        return super().__next__()
