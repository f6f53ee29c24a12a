"""Extensions that are each wrong in one way: `breaks` names the test of the kit that must notice."""

import itertools
import logging
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import renga_core.random
from renga_core.configuration import config, global_config
from renga_core.serializers import Deserializer
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


class LeavesTestMode(Right):
    """it evaluates, and leaves config.train off"""

    breaks = "test_life_cycle"

    def __call__(self, trainer):
        config.train = False


class LeavesGlobalTestMode(Right):
    """it leaves config.train off for all threads"""

    breaks = "test_life_cycle"

    def __call__(self, trainer):
        global_config.train = False


class ClearsObservation(Right):
    """it clears what was reported"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.observation.clear()


class TakesAValue(Right):
    """it takes what it has read out of the observation"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.observation.pop("main/loss")


class NewObservation(Right):
    """it gives the trainer a new observation"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.observation = {**trainer.observation, "mine": 1.0}


class EditsLate(Right):
    """it rounds what was reported, with the priority of a reader"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.observation["main/accuracy"] = round(trainer.observation["main/accuracy"], 2)


class NewStopTrigger(Right):
    """it replaces the stop trigger"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.stop_trigger = lambda trainer: True


class NewReporter(Right):
    """it gives the trainer a reporter of its own"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.reporter = type(trainer.reporter)()


class NewObserver(Right):
    """it adds an observer in each call"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        self.count += 1
        trainer.reporter.add_observer(f"observer {self.count}", self)


class SkipsIterations(Right):
    """it counts an iteration itself"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.updater.iteration += 1


class SetsUpAgain(Right):
    """it sets the optimizer up again, which begins anew"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        optimizer = trainer.updater.get_optimizer("main")
        optimizer.setup(optimizer.target)


class MovesTheFolder(Right):
    """it sets trainer.out to a folder below it"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.out = f"{trainer.out}/epoch"


class SeedsNumpy(Right):
    """it seeds NumPy's random numbers when training starts"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        np.random.seed(0)


class SeedsRenga(Right):
    """it seeds Renga's random numbers in each call, so that all epochs are alike"""

    breaks = "test_life_cycle"

    def __call__(self, trainer):
        renga_core.random.seed(1)


class SetsTheEnvironment(Right):
    """it leaves an environment variable"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        os.environ["CUDA_VISIBLE_DEVICES"] = ""


class ChangesFolder(Right):
    """it changes into the run's folder, to write there"""

    breaks = "test_life_cycle"

    def __call__(self, trainer):
        os.chdir(trainer.out)

    def finalize(self):
        os.chdir("/")


class SilencesNumpy(Right):
    """it silences NumPy for good"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        np.seterr(all="ignore")


class PrintsShort(Right):
    """it sets NumPy's print options"""

    breaks = "test_life_cycle"

    def __call__(self, trainer):
        np.set_printoptions(precision=2)


class HandlesSignals(Right):
    """its handler of a signal outlives the training"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        signal.signal(signal.SIGHUP, lambda number, frame: None)


class ListensToLaunchers(Right):
    """its handler of SIGUSR1, by which launchers ask ranks to stop, outlives the training"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        signal.signal(signal.SIGUSR1, lambda number, frame: None)


class HooksExceptions(Right):
    """it replaces sys.excepthook for good"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        sys.excepthook = lambda *error: None


class RecursesDeep(Right):
    """it raises the limit of recursion"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        sys.setrecursionlimit(12345)


class LogsMore(Right):
    """it sets the level of all logging"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        logging.getLogger().setLevel(logging.DEBUG)


class OpenToAll(Right):
    """it sets the mask of file modes"""

    breaks = "test_life_cycle"

    def initialize(self, trainer):
        os.umask(0)


class HoldsFiles(Right):
    """its file stays open"""

    breaks = "test_finalize_closes_files"
    files = []

    def initialize(self, trainer):
        self.files.append(open(os.path.join(trainer.out, "log"), "w"))  # noqa: SIM115 - the fault


class HalfAFile(Right):
    """it leaves the temporary file that it writes first"""

    breaks = "test_finalize_closes_files"

    def __call__(self, trainer):
        Path(trainer.out, "log.tmp").write_text("half")


class LeavesProcesses(Right):
    """its process outlives the training"""

    breaks = "test_finalize_ends_threads"

    def initialize(self, trainer):
        import multiprocessing

        multiprocessing.get_context("spawn").Process(target=time.sleep, args=(3,), daemon=True).start()


class LittersAtHome(Right):
    """it writes into the user's home"""

    breaks = "test_writes_into_its_folder_only"

    def __call__(self, trainer):
        Path.home().joinpath("log").write_text("here")


class LittersInTmp(Right):
    """it leaves temporary files"""

    breaks = "test_writes_into_its_folder_only"

    def __call__(self, trainer):
        Path(tempfile.gettempdir(), "litter").write_text("here")


class ExitsOnError(Right):
    """on_error ends the program, and the error is not seen"""

    breaks = "test_error"

    def on_error(self, trainer, exc, tb):
        sys.exit(0)


class ForgetsWhenSaved(Right):
    """saving sets its counter back"""

    breaks = "test_saving_changes_nothing"

    def serialize(self, serializer):
        super().serialize(serializer)
        if not isinstance(serializer, Deserializer):
            self.count = 0


class LoadsOnce(Right):
    """what is loaded is taken only if it has not been called yet"""

    breaks = "test_going_back"

    def serialize(self, serializer):
        if not (isinstance(serializer, Deserializer) and self.count):
            super().serialize(serializer)


class CountsFiles(Right):
    """its state is how many files have been written by this process"""

    breaks = "test_resume_equals_uninterrupted"
    numbers = itertools.count()

    def serialize(self, serializer):
        self.count = serializer("count", next(self.numbers))


class RoundsItsState(Right):
    """its state is saved with one digit"""

    breaks = "test_resume_equals_uninterrupted"
    mean = 0.0

    def __call__(self, trainer):
        self.mean = 0.5 * self.mean + trainer.observation["main/accuracy"]
        trainer.updater.get_optimizer("main").lr = 0.01 * self.mean

    def serialize(self, serializer):
        self.mean = serializer("mean", round(self.mean, 1))


class TextForPriority(Right):
    """its priority is a word"""

    breaks = "test_is_an_extension"
    priority = "first"


class NameOfTheLoop(Right):
    """its name is that of the training loop"""

    breaks = "test_is_an_extension"
    default_name = "training"


class AsksForTheIterator(Right):
    """nothing: it asks the updater for its iterator, as real ones do"""

    breaks = ""

    def __call__(self, trainer):
        iterator = trainer.updater.get_iterator("main")
        assert iterator.epoch == trainer.updater.epoch
        self.count += len(iterator.dataset) // iterator.batch_size


class UnsavedMean(Right):
    """it reports the mean of what was observed, which is not saved"""

    breaks = "test_resume_equals_uninterrupted"
    seen = total = 0

    def __call__(self, trainer):
        self.seen += 1
        self.total += float(trainer.observation["main/loss"].array)
        trainer.observation["mean"] = self.total / self.seen


class UnsavedBest(Right):
    """it halves the learning rate when the loss is larger than the best one, which is not saved"""

    breaks = "test_resume_equals_uninterrupted"
    best = np.inf

    def __call__(self, trainer):
        loss = float(trainer.observation["main/loss"].array)
        trainer.updater.get_optimizer("main").lr = 0.05 if loss < self.best else 0.025
        self.best = min(loss, self.best)


class UnsavedLog(Right):
    """it writes a log anew in each call, from lines that are not saved"""

    breaks = "test_resume_equals_uninterrupted"

    def __init__(self) -> None:
        super().__init__()
        self.lines = []

    def __call__(self, trainer):
        self.lines.append(f"{trainer.updater.iteration},{trainer.observation['main/accuracy']}\n")
        Path(trainer.out, "log.csv").write_text("".join(self.lines))


class UnsavedRecord(Right):
    """it keeps the weights of each record, and forgets which was the last one"""

    breaks = "test_resume_equals_uninterrupted"
    best = np.inf

    def __call__(self, trainer):
        loss = trainer.observation["validation/main/loss"]
        if loss < self.best:
            self.best = loss
            np.save(Path(trainer.out, f"best_{trainer.updater.iteration}"), trainer.updater.model.w.array)


class HoardsObservations(Right):
    """it keeps all observations, and with them their graphs"""

    breaks = "test_memory_does_not_grow"

    def __init__(self) -> None:
        super().__init__()
        self.history = []

    def __call__(self, trainer):
        self.history.append(dict(trainer.observation))


class HoardsWeights(Right):
    """it keeps the weights of each iteration, to draw them at the end"""

    breaks = "test_memory_does_not_grow"
    history = []

    def __call__(self, trainer):
        self.history.append([param.array.copy() for param in trainer.updater.get_optimizer("main").target.params()])


class ClearsGradients(Right):
    """it clears the model's gradients"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.updater.get_optimizer("main").target.cleargrads()


class ScalesGradients(Right):
    """it divides the model's gradients by their norm, to report it"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        for param in trainer.updater.get_optimizer("main").target.params():
            grad = param.grad
            grad /= np.sqrt((grad * grad).sum())


class TakesABatch(Right):
    """it takes a batch of the training data to look at, which training never sees"""

    breaks = "test_leaves_the_run_alone"

    def __call__(self, trainer):
        trainer.updater.get_iterator("main").next()


class UnsavedPatience(Right):
    """it stops the run when the loss was not the best for three iterations, which are not saved"""

    breaks = "test_resume_equals_uninterrupted"
    best, waited = np.inf, 0

    def __call__(self, trainer):
        loss = float(trainer.observation["main/loss"].array)
        self.waited = 0 if loss < self.best else self.waited + 1
        self.best = min(loss, self.best)
        if self.waited >= 3:
            trainer.stop("the loss does not become smaller")
