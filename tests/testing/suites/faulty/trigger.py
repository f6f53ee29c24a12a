"""Triggers that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools

from renga_core.serializers import Deserializer
from renga_core.training import Trigger


class Right(Trigger):
    """Fires at each third call: the rest of this file derives from it."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, trainer):
        self.count += 1
        return self.count % 3 == 0

    def serialize(self, serializer):
        self.count = serializer("count", self.count)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class Talkative(Right):
    """it answers with a word"""

    breaks = "test_answers"

    def __call__(self, trainer):
        return "yes" if super().__call__(trainer) else ""


class Never(Right):
    """it never fires"""

    breaks = "test_answers"

    def __call__(self, trainer):
        return False


class Moody(Right):
    """what it says depends on how many of it there are"""

    breaks = "test_answers_depend_on_the_run_only"
    numbers = itertools.count()

    def __init__(self) -> None:
        self.count = next(self.numbers)


class FromTheBeginning(Right):
    """it must be asked from the first iteration"""

    breaks = "test_asked_in_any_iteration"

    def __call__(self, trainer):
        super().__call__(trainer)
        assert self.count == trainer.updater.iteration, "asked too late"
        return self.count % 3 == 0


class Forgetful(Right):
    """its state is not saved"""

    breaks = "test_resume_equals_uninterrupted"

    def serialize(self, serializer):
        pass


class Endless(Right):
    """it tells the length of training in a unit that there is not"""

    breaks = "test_training_length"

    def get_training_length(self):
        return 3, "fortnight"


class FiresWhenLoaded(Right):
    """it fires once more after it was loaded"""

    breaks = "test_resume_equals_uninterrupted"
    loaded = False

    def __call__(self, trainer):
        now, self.loaded = self.loaded, False
        return super().__call__(trainer) or now

    def serialize(self, serializer):
        super().serialize(serializer)
        self.loaded = isinstance(serializer, Deserializer)


class UnsavedBest(Right):
    """it fires when the loss is the best one, which is not saved"""

    breaks = "test_resume_equals_uninterrupted"
    best = float("inf")

    def __call__(self, trainer):
        loss = float(trainer.observation["main/loss"].array)
        fires, self.best = loss < self.best, min(loss, self.best)
        return fires


class ForgetsWhenSaved(Right):
    """saving sets its counter back"""

    breaks = "test_saving_changes_nothing"

    def serialize(self, serializer):
        super().serialize(serializer)
        if not isinstance(serializer, Deserializer):
            self.count = 0


class LoadsOnce(Right):
    """what is loaded is taken only if it was not asked yet"""

    breaks = "test_going_back"

    def serialize(self, serializer):
        if not (isinstance(serializer, Deserializer) and self.count):
            super().serialize(serializer)


class TakesTheValue(Right):
    """it takes the value that it compares out of the observation"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.observation.pop("main/loss")
        return super().__call__(trainer)


class StopsTheRun(Right):
    """it stops the run when it fires"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        fires = super().__call__(trainer)
        if fires:
            trainer.stop("the trigger fired")
        return fires
