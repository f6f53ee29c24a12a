"""Extensions that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import threading
from pathlib import Path

from renga_core.training import Extension


class Right(Extension):
    """Counts calls: the rest of this file derives from it."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, trainer):
        self.count += 1

    def serialize(self, serializer):
        self.count = serializer("count", self.count)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""


class NoExtension:
    """it is no Extension"""

    breaks = "test_is_an_extension"


class OddTrigger(Right):
    """its trigger is of a unit that there is not"""

    breaks = "test_is_an_extension"
    trigger = (1, "fortnight")


class Uninitialized(Right):
    """its calls need what nobody has prepared"""

    breaks = "test_life_cycle"

    def __call__(self, trainer):
        self.file.write("called")


class ErrorInError(Right):
    """on_error raises another error"""

    breaks = "test_error"

    def on_error(self, trainer, exc, tb):
        raise ValueError("while handling an error")


class NeverInterrupted(Right):
    """it cannot be interrupted"""

    breaks = "test_interrupt"

    def on_interrupt(self, trainer):
        raise NotImplementedError


class FinalizesOnce(Right):
    """finalize needs initialize, and works once"""

    breaks = "test_finalize_at_any_time"

    def initialize(self, trainer):
        self.held = [1]

    def finalize(self):
        self.held.pop()


class LeavesThreads(Right):
    """its thread outlives the training"""

    breaks = "test_finalize_ends_threads"

    def initialize(self, trainer):
        threading.Thread(target=threading.Event().wait, args=(5,), name="left-behind", daemon=True).start()


class Litters(Right):
    """it writes into the current folder"""

    breaks = "test_writes_into_its_folder_only"

    def __call__(self, trainer):
        Path("litter.txt").write_text("here")


class Siblings(Right):
    """all of them count together"""

    breaks = "test_two_are_independent"
    calls = []

    def initialize(self, trainer):
        self.count += len(self.calls)
        self.calls.append(1)


class Forgetful(Right):
    """its state is not saved"""

    breaks = "test_resume_equals_uninterrupted"

    def __call__(self, trainer):
        self.count += 1
        trainer.updater.get_optimizer("main").lr = 0.1 / self.count

    def serialize(self, serializer):
        pass
