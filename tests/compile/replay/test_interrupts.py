"""Ctrl-C at any moment of a recording: no tracer and no hook stays, no lock is held, no Variable keeps what a recorder
gave the step in place of an array."""

import gc
import signal
import sys
import threading
import time

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_compile.replay.try_lock import TryLock
from renga_core.configuration import config, unusual
from renga_core.link.link_hook import get_link_hooks, watchers

NOTICED = (
    "renga_compile",
    "renga_core.tracepoints",
    "renga_core.configuration",
    "renga_core.link.link_hook",
    "contextlib",
)
X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


class Training:
    """A network whose step is compiled, and has been called once: the next call is recorded."""

    def __init__(self):
        self.model = L.Linear(3, 2, initialW=X)
        self.optimizer = renga.optimizers.SGD(0.1).setup(self.model)
        self.step = renga.compile(self._step)
        self.step(X)

    def _step(self, x):
        loss = F.sum(F.tanh(self.model(x)))
        self.model.cleargrads()
        loss.backward()
        self.optimizer.update()
        return loss

    def assert_whole(self):
        assert not self.step._lock.locked()
        assert get_link_hooks() == {}
        assert not watchers
        assert config.tracers == config.choice_tracers == ()
        assert not [entry for _, entry in unusual if entry in ("tracers", "choice_tracers")]
        for p in self.model.params():
            assert type(p._array) is np.ndarray
            assert type(p.grad) in (np.ndarray, type(None))


class Interrupting:
    """Raises KeyboardInterrupt at a line of the recorder, the one of that number from 0 on; counts them."""

    def __init__(self, at):
        self.at, self.count = at, 0

    def __call__(self, frame, event, argument):
        name = frame.f_globals.get("__name__", "")
        return self.line if name.startswith(NOTICED) else None

    def line(self, frame, event, argument):
        if event == "line":
            self.count += 1
            if self.count == self.at + 1:
                raise KeyboardInterrupt
        return self.line


def interrupted(training, at):
    """How many lines there were until the interrupt.

    In a thread of its own: what is raised by a trace function where CPython 3.11 leaves an ``except`` block is handled
    for ever, as `sys.exc_info` says, in that thread.
    """
    tracer = Interrupting(at)

    def step():
        sys.settrace(tracer)
        try:
            training.step(X)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
            left.extend([*config.tracers, *config.choice_tracers, *get_link_hooks()])

    left = []
    thread = threading.Thread(target=step)
    thread.start()
    thread.join()
    assert not left
    return tracer.count


@pytest.mark.parametrize("recorded", [0, 1], ids=["first", "second"])
def test_at_each_line_of_a_recording(recorded):
    def fresh():
        training = Training()
        for _ in range(recorded):
            training.step(X)
        return training

    lines = interrupted(fresh(), -1)
    assert lines > 300
    # Each of the first and of the last, where a tracer is entered and left, and one of five between.
    for at in sorted({*range(150), *range(150, lines - 150, 5), *range(lines - 150, lines)}):
        training = fresh()
        assert interrupted(training, at) == at + 1
        training.assert_whole()
    training.step(X)
    training.assert_whole()


def test_signals():
    def interrupt(number, frame):
        raise KeyboardInterrupt

    # What is raised in a callback of the garbage collector is printed and dropped; Hypothesis registers one.
    gc.disable()
    before = signal.signal(signal.SIGALRM, interrupt)
    generator, interrupts = np.random.default_rng(0), 0
    try:
        for _ in range(100):
            training = Training()
            try:
                signal.setitimer(signal.ITIMER_REAL, generator.uniform(1e-5, 4e-3))
                deadline = time.monotonic() + 10
                while time.monotonic() < deadline:
                    training.step(X)
            except KeyboardInterrupt:
                interrupts += 1
            training.assert_whole()
            if not config.enable_backprop:
                vars(config).pop("enable_backprop")  # the end of a `with` block was interrupted
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert interrupts == 100


def test_a_lock_is_released_by_its_holder_only():
    lock = TryLock()
    one, other = object(), object()
    assert lock.acquire(one)
    assert not lock.acquire(other)
    lock.release(other)
    assert lock.locked()
    lock.release(one)
    lock.release(one)
    assert lock.acquire(other)
