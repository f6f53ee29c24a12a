"""Updaters that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import random

import numpy as np

from renga_core.configuration import config
from renga_core.reporter import Reporter
from renga_core.training import Updater


class Right(Updater):
    """A batch, a loss, an update: the rest of this file derives from it."""

    def __init__(self, iterator, optimizer, converter, device=None):
        self.iterator, self.optimizer, self.converter, self.device = iterator, optimizer, converter, device
        self.iteration = 0
        self.before = 0.0
        self.send()

    def send(self):
        self.optimizer.use_auto_new_epoch = True
        if self.device is not None:
            self.optimizer.target.to_device(self.device)

    epoch = property(lambda self: self.iterator.epoch)
    epoch_detail = property(lambda self: self.iterator.epoch_detail)
    previous_epoch_detail = property(lambda self: self.before)
    is_new_epoch = property(lambda self: self.epoch > int(self.before))

    def get_optimizer(self, name):
        return {"main": self.optimizer}[name]

    def get_all_optimizers(self):
        return {"main": self.optimizer}

    def update(self):
        before = self.epoch_detail
        batch = next(self.iterator, None)
        if batch is None:
            raise RuntimeError("there are no more batches")
        self.learn(*self.converter(batch, self.device))
        self.before = before
        self.iteration += 1
        if self.iterator.is_new_epoch:
            self.tell_epoch()

    def learn(self, x, t):
        self.optimizer.update(self.optimizer.target, x, t)

    def tell_epoch(self):
        self.optimizer.new_epoch(auto=True)

    def finalize(self):
        self.iterator.finalize()

    def serialize(self, serializer):
        self.iterator.serialize(serializer["iterator"])
        self.optimizer.target.serialize(serializer["model"])
        self.optimizer.serialize(serializer["optimizer"])
        self.iteration = serializer("iteration", self.iteration)
        self.before = serializer("before", self.before)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Begun(Right):
    """it begins to count at one"""

    breaks = "test_what_it_is"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.iteration = 1


class Secretive(Right):
    """it tells of no optimizers"""

    breaks = "test_optimizers"

    def get_all_optimizers(self):
        return {}


class Copying(Right):
    """it has an optimizer of its own"""

    breaks = "test_optimizers"

    def __init__(self, iterator, optimizer, converter, device=None):
        own = type(optimizer)().setup(optimizer.target)
        super().__init__(iterator, own, converter, device)


class Uncounted(Right):
    """it does not count updates"""

    breaks = "test_counts"

    def update(self):
        super().update()
        self.iteration = 0


class NeverNew(Right):
    """it compares the epoch with that after the update"""

    breaks = "test_counts"
    previous_epoch_detail = property(lambda self: self.epoch_detail)


class TestMode(Right):
    """it leaves test mode on"""

    breaks = "test_counts"

    def learn(self, x, t):
        config.train = False
        super().learn(x, t)


class Shuffling(Right):
    """it seeds Python's random numbers"""

    breaks = "test_counts"

    def learn(self, x, t):
        random.seed(self.iteration)
        super().learn(x, t)


class Silent(Right):
    """it does not tell the optimizer when an epoch is over"""

    breaks = "test_epochs_of_optimizers"

    def tell_epoch(self):
        return


class Dropping(Right):
    """it leaves out the last example of each batch"""

    breaks = "test_examples"

    def __init__(self, iterator, optimizer, converter, device=None):
        super().__init__(iterator, optimizer, lambda batch, device: converter(batch[:-1], device), device)


class Repeating(Right):
    """it converts a batch twice, as for two losses"""

    breaks = "test_examples"

    def __init__(self, iterator, optimizer, converter, device=None):
        def twice(batch, device):
            converter(batch, device)
            return converter(batch, device)

        super().__init__(iterator, optimizer, twice, device)


class EverySecond(Right):
    """it updates in every second call only"""

    breaks = "test_each_optimizer_updates"

    def learn(self, x, t):
        if self.iteration % 2 == 0:
            super().learn(x, t)


class OnItsOwn(Right):
    """it changes parameters without the optimizer"""

    breaks = "test_each_optimizer_updates"

    def learn(self, x, t):
        link = self.optimizer.target
        link.cleargrads()
        link(x, t).backward()
        for param in link.params():
            param.array[...] -= 0.01 * param.grad


class Endless(Right):
    """a step is as long as one over zero"""

    breaks = "test_each_optimizer_updates"

    def learn(self, x, t):
        super().learn(x, t)
        for param in self.optimizer.target.params():
            param.array[...] = np.inf


class OnTheHost(Right):
    """it converts batches for no device"""

    breaks = "test_device"

    def send(self):
        super().send()
        self.device = None


class AddingUp(Right):
    """it adds gradients to those that are there"""

    breaks = "test_earlier_gradients"

    def learn(self, x, t):
        link = self.optimizer.target
        loss = link(x, t)
        for param in link.params():
            if param.grad is None:
                param.cleargrad()
        loss.backward()
        self.optimizer.update()


class ToNobody(Right):
    """what the link reports goes to a reporter of its own"""

    breaks = "test_reports"

    def learn(self, x, t):
        reporter = Reporter()
        reporter.add_observer("main", self.optimizer.target)
        with reporter:
            super().learn(x, t)


class NoIterator(Right):
    """it does not save where its iterator is"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        self.optimizer.target.serialize(serializer["model"])
        self.optimizer.serialize(serializer["optimizer"])
        self.iteration = serializer("iteration", self.iteration)
        self.before = serializer("before", self.before)


class NoModel(Right):
    """it does not save the parameters"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        self.iterator.serialize(serializer["iterator"])
        self.optimizer.serialize(serializer["optimizer"])
        self.iteration = serializer("iteration", self.iteration)
        self.before = serializer("before", self.before)


class NoOptimizer(Right):
    """it does not save what the optimizer remembers"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        self.iterator.serialize(serializer["iterator"])
        self.optimizer.target.serialize(serializer["model"])
        self.iteration = serializer("iteration", self.iteration)
        self.before = serializer("before", self.before)


class NoCounter(Right):
    """it does not save how many updates it has made"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        self.iterator.serialize(serializer["iterator"])
        self.optimizer.target.serialize(serializer["model"])
        self.optimizer.serialize(serializer["optimizer"])
        self.before = serializer("before", self.before)


class Rounding(Right):
    """it rounds parameters when it is saved"""

    breaks = "test_saving_changes_nothing"

    def serialize(self, serializer):
        for param in self.optimizer.target.params():
            param.array[...] = param.array.round(2)
        super().serialize(serializer)


class StopsTheLoop(Right):
    """at the end of the data it raises StopIteration"""

    breaks = "test_end_of_data"

    def update(self):
        if self.iterator.epoch:
            raise StopIteration
        super().update()


class Idling(Right):
    """at the end of the data it goes on and does nothing"""

    breaks = "test_end_of_data"

    def update(self):
        if self.iterator.repeat or not self.iterator.epoch:
            super().update()


class Swallowing(Right):
    """it passes over a batch that cannot be converted"""

    breaks = "test_error_of_a_batch"

    def update(self):
        try:
            super().update()
        except Exception as error:
            if "damaged" not in str(error):
                raise


class Early(Right):
    """it counts an update before it is made"""

    breaks = "test_error_of_a_batch"

    def update(self):
        self.iteration += 1
        super().update()
        self.iteration -= 1


class Open(Right):
    """it does not finalize its iterator"""

    breaks = "test_finalize"

    def finalize(self):
        return


class Once(Right):
    """it cannot be finalized twice"""

    breaks = "test_finalize"

    def finalize(self):
        self.iterator.finalize()
        del self.iterator
