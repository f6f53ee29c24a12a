import os
import signal
import threading

import pytest

from renga_core.reporter import report
from renga_core.training import PRIORITY_EDITOR, PRIORITY_READER, PRIORITY_WRITER, Extension, Updater
from renga_serializers.npz import load_npz, save_npz
from renga_training import Trainer
from renga_training.extensions import snapshot
from renga_training.make_extension import make_extension


class Target:
    def namedlinks(self, skipself=False):
        return [("/child", self.child)]

    def __init__(self):
        self.child = object()


class Optimizer:
    def __init__(self):
        self.target = Target()


class CountingUpdater(Updater):
    """Counts; four iterations an epoch."""

    def __init__(self):
        self.optimizer = Optimizer()
        self.iteration = 0
        self.finalized = 0
        self.trainer = None

    epoch = property(lambda self: self.iteration // 4)
    epoch_detail = property(lambda self: self.iteration / 4)
    previous_epoch_detail = property(lambda self: max(self.iteration - 1, 0) / 4)
    is_new_epoch = property(lambda self: self.iteration % 4 == 0)

    def connect_trainer(self, trainer):
        self.trainer = trainer

    def get_optimizer(self, name):
        return {"main": self.optimizer}[name]

    def get_all_optimizers(self):
        return {"main": self.optimizer}

    def update(self):
        self.iteration += 1
        report({"loss": self.iteration}, self.optimizer.target)
        report({"x": self.iteration}, self.optimizer.target.child)

    def finalize(self):
        self.finalized += 1

    def serialize(self, serializer):
        self.iteration = serializer("iteration", self.iteration)


class Recorder(Extension):
    """Writes down each call of each of its hooks."""

    def __init__(self, calls, label=""):
        self.calls, self.label = calls, label

    def note(self, hook):
        self.calls.append(f"{self.label}{hook}")

    def __call__(self, trainer):
        self.note(trainer.updater.iteration)

    def resume(self, trainer):
        self.note("resume")

    def initialize(self, trainer):
        self.note("initialize")

    def on_error(self, trainer, exc, tb):
        self.note(f"error {exc} {tb is not None}")

    def on_interrupt(self, trainer):
        self.note("interrupt")

    def finalize(self):
        self.note("finalize")


@pytest.fixture
def trainer(tmp_path):
    return Trainer(CountingUpdater(), (3, "iteration"), tmp_path / "out")


def test_life_of_a_run(trainer):
    calls = []
    trainer.extend(Recorder(calls))
    assert trainer.updater.trainer is trainer
    assert trainer.elapsed_time == 0
    trainer.run()
    assert calls == ["resume", "initialize", "1", "2", "3", "finalize"]
    assert trainer.updater.finalized == 1
    assert os.path.isdir(trainer.out)
    elapsed = trainer.elapsed_time
    assert elapsed > 0
    assert trainer.elapsed_time == elapsed, "the clock stops"
    with pytest.raises(RuntimeError, match="has already run"):
        trainer.run()


def test_what_is_reported(trainer):
    seen = []
    trainer.extend(lambda trainer: report({"mine": 7}), priority=PRIORITY_WRITER, name="report")
    trainer.extend(lambda trainer: seen.append(dict(trainer.observation)), name="see")
    trainer.run()
    assert seen[1] == {"main/loss": 2, "main/child/x": 2, "mine": 7}


def test_priorities_and_triggers(trainer):
    calls = []
    low = Recorder(calls, "low ")
    low.priority = 1
    writer = make_extension(priority=PRIORITY_WRITER, trigger=(2, "iteration"))(lambda trainer: calls.append("writer"))
    trainer.extend(low)
    trainer.extend(Recorder(calls, "reader "), name="r")
    trainer.extend(Recorder(calls, "edits "), name="e", priority=PRIORITY_EDITOR)
    trainer.extend(writer, name="w")
    trainer.run()
    run = [c for c in calls if c == "writer" or c[-1].isdigit()]
    assert run == [
        *("edits 1", "reader 1", "low 1"),
        *("writer", "edits 2", "reader 2", "low 2"),
        *("edits 3", "reader 3", "low 3"),
    ]
    assert [c for c in calls if "finalize" in c] == ["edits finalize", "reader finalize", "low finalize"]
    assert PRIORITY_READER < PRIORITY_EDITOR < PRIORITY_WRITER


def test_names(trainer):
    calls = []
    first, second, third = (Recorder(calls) for _ in range(3))
    trainer.extend(first)
    trainer.extend(second)
    trainer.extend(third, name="own")
    assert [e.name for e in (first, second, third)] == ["Recorder", "Recorder_1", "own"]
    assert trainer.get_extension("Recorder_1") is second
    with pytest.raises(KeyError, match="no extension named 'other'; there are: Recorder, Recorder_1, own"):
        trainer.get_extension("other")
    with pytest.raises(ValueError, match="cannot be named 'training'"):
        trainer.extend(first, name="training")


def test_call_before_training_only_at_the_beginning(trainer, tmp_path):
    calls = []
    trainer.extend(Recorder(calls), call_before_training=True)
    trainer.run()
    assert calls[2:4] == ["0", "1"]
    save_npz(tmp_path / "state", trainer)
    again = Trainer(CountingUpdater(), (5, "iteration"), tmp_path)
    again.extend(Recorder(calls := []), call_before_training=True)
    load_npz(tmp_path / "state", again)
    again.run()
    assert calls[2] == "4"


def test_an_error_is_told_to_all_and_everything_is_finalized(trainer, capsys):
    calls = []

    def fail(trainer):
        if trainer.updater.iteration == 2:
            raise ZeroDivisionError("oops")

    trainer.extend(Recorder(calls, "a "))
    trainer.extend(fail, priority=PRIORITY_WRITER)
    with pytest.raises(ZeroDivisionError, match="oops"):
        trainer.run()
    assert calls == ["a resume", "a initialize", "a 1", "a error oops True", "a finalize"]
    assert trainer.updater.finalized == 1
    assert capsys.readouterr().err == "ZeroDivisionError in the training loop; finalizing.\n"


def test_without_the_message(trainer, capsys):
    trainer.extend(lambda trainer: 1 / 0, name="fail")
    with pytest.raises(ZeroDivisionError):
        trainer.run(show_loop_exception_msg=False)
    assert capsys.readouterr().err == ""


def test_failing_finalizers_do_not_keep_others_from_running(trainer):
    calls = []

    class Failing(Recorder):
        def finalize(self):
            super().finalize()
            raise ZeroDivisionError

    trainer.extend(Failing(calls, "a "))
    trainer.extend(Failing(calls, "b "))
    with pytest.raises(ZeroDivisionError):
        trainer.run()
    assert calls[-2:] == ["a finalize", "b finalize"]
    assert trainer.updater.finalized == 1


def test_an_error_while_initializing_finalizes(trainer):
    calls = []

    class Failing(Recorder):
        def initialize(self, trainer):
            raise ZeroDivisionError

    trainer.extend(Failing(calls))
    with pytest.raises(ZeroDivisionError):
        trainer.run()
    assert calls == ["resume", "finalize"]
    assert trainer.updater.finalized == 1


def test_ctrl_c_ends_it_between_two_iterations(trainer):
    calls = []

    def press(trainer):
        if trainer.updater.iteration == 2:
            os.kill(os.getpid(), signal.SIGINT)

    trainer.extend(press, priority=PRIORITY_WRITER)
    trainer.extend(Recorder(calls))
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert calls == ["resume", "initialize", "1", "2", "interrupt", "finalize"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_ends_it_at_once(trainer):
    calls = []

    def press(trainer):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    trainer.extend(press, priority=PRIORITY_WRITER)
    trainer.extend(Recorder(calls))
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert calls == ["resume", "initialize", "finalize"], "no snapshot of half an iteration"


def test_many_processes_stop_when_all_agree(trainer, capfd):
    asked, calls = [], []

    def agree(wish):
        asked.append(wish)
        return len(asked) == 3  # one iteration after this process was asked: the others must hear of it first

    trainer.agree_to_stop = agree
    trainer.extend(lambda trainer: os.kill(os.getpid(), signal.SIGINT), trigger=lambda t: t.updater.iteration == 1)
    trainer.extend(Recorder(calls))
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert asked == [False, True, True]
    assert calls == ["resume", "initialize", "1", "2", "interrupt", "finalize"]
    assert capfd.readouterr().err == "", "each process would say so"


def test_stop_ends_after_the_running_iteration(trainer):
    calls = []
    trainer.extend(lambda trainer: trainer.stop("it is enough"), name="stop")
    trainer.extend(lambda trainer: trainer.stop("later"), name="later")
    trainer.extend(Recorder(calls))
    trainer.run()
    assert calls == ["resume", "initialize", "1", "interrupt", "finalize"]
    assert trainer.stop_reason == "it is enough"
    assert trainer.updater.finalized == 1


def test_stop_takes_a_snapshot_that_goes_on(tmp_path):
    def make(autoload):
        trainer = Trainer(CountingUpdater(), (9, "iteration"), tmp_path)
        trainer.extend(snapshot(autoload=autoload), trigger=(5, "iteration"))
        return trainer

    first = make(False)
    first.extend(lambda trainer: trainer.stop("why"), trigger=lambda t: t.updater.iteration == 3, name="stop")
    first.run()
    assert first.updater.iteration == 3
    again = make(True)
    again.extend(lambda trainer: None, name="stop", trigger=lambda t: False)
    again.run()
    assert again.updater.iteration == 9
    assert again.stop_reason is None


def test_stop_before_training_and_from_another_thread(tmp_path):
    trainer = Trainer(CountingUpdater(), (9, "iteration"), tmp_path)
    trainer.stop("not today")
    trainer.run()
    assert trainer.updater.iteration == 0

    def ask(trainer):
        thread = threading.Thread(target=trainer.stop, args=("asked",))
        thread.start()
        thread.join()

    trainer = Trainer(CountingUpdater(), None, tmp_path)
    trainer.extend(ask, trigger=(4, "iteration"))
    trainer.run()
    assert (trainer.updater.iteration, trainer.stop_reason) == (4, "asked")


def test_ctrl_c_and_stop_at_once(trainer):
    calls = []
    trainer.extend(lambda trainer: os.kill(os.getpid(), signal.SIGINT), name="press")
    trainer.extend(lambda trainer: trainer.stop("why"), name="stop")
    trainer.extend(Recorder(calls))
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    assert calls == ["resume", "initialize", "1", "interrupt", "finalize"]


def test_many_processes_that_were_asked_by_stop(trainer):
    asked = []

    def agree(wish):
        asked.append(wish)
        return len(asked) == 3

    trainer.agree_to_stop = agree
    trainer.extend(lambda trainer: trainer.stop("why"), name="stop")
    trainer.run()
    assert asked == [False, True, True]
    assert trainer.updater.iteration == 2


def test_time_goes_on_after_resuming(trainer, tmp_path):
    trainer.run()
    save_npz(tmp_path / "state", trainer)
    again = Trainer(CountingUpdater(), (5, "iteration"), tmp_path)
    load_npz(tmp_path / "state", again)
    assert again.elapsed_time == trainer.elapsed_time
    assert again.observation == trainer.observation
    again.run()
    assert again.elapsed_time > trainer.elapsed_time


def test_a_finished_run_that_is_resumed_ends_at_once(tmp_path):
    trainer = Trainer(CountingUpdater(), (2, "epoch"), tmp_path)
    trainer.extend(lambda t: save_npz(tmp_path / "state", t), name="save", priority=-100)
    trainer.run()
    again = Trainer(CountingUpdater(), (2, "epoch"), tmp_path)
    again.extend(lambda t: None, name="save")
    load_npz(tmp_path / "state", again)
    again.run()
    assert again.updater.iteration == 8


def test_extensions_given_at_once(tmp_path):
    calls = []
    trainer = Trainer(CountingUpdater(), (1, "iteration"), tmp_path, extensions=[Recorder(calls)])
    trainer.run()
    assert "1" in calls


def test_an_error_in_on_error_does_not_hide_the_first(trainer):
    told = []

    class Fails(Extension):
        def __call__(self, trainer):
            raise ValueError("the first")

        def on_error(self, trainer, exc, tb):
            raise KeyError("another")

    class Listens(Extension):
        priority = PRIORITY_READER - 1

        def __call__(self, trainer):
            raise AssertionError("it is not its turn")

        def on_error(self, trainer, exc, tb):
            told.append(exc)

    trainer.extend(Fails())
    trainer.extend(Listens())
    with pytest.raises(ValueError, match="the first") as caught:
        trainer.run(show_loop_exception_msg=False)
    assert told == [caught.value]
    assert caught.value.__notes__ == ["Fails.on_error: KeyError: 'another'"]
