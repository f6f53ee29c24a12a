import io
import re
import threading

import pytest

from renga_training.extensions import ProgressBar, progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(bar, trainer, iterations):
    bar.initialize(trainer)
    for _ in range(iterations):
        trainer.iterate()
        bar(trainer)
    bar.finalize()
    bar.finalize()


def test_a_line_at_each_tenth_in_a_file(trainer):
    out = io.StringIO()
    run(ProgressBar((40, "iteration"), out=out), trainer, 40)
    lines = out.getvalue().splitlines()
    assert [line[:4] for line in lines] == [
        " 10%",
        " 20%",
        " 30%",
        " 40%",
        " 50%",
        " 60%",
        " 70%",
        " 80%",
        " 90%",
        "100%",
    ]
    assert re.fullmatch(r" 30%  epoch 3\.0, iteration 12, [0-9.e+]+ it/s, 00:00", lines[2])
    assert "\r" not in out.getvalue()


def test_a_line_after_a_minute_in_a_file(trainer, monkeypatch):
    clock = iter(range(0, 10**6, 25))
    monkeypatch.setattr(progress_bar.time, "perf_counter", lambda: float(next(clock)))
    out = io.StringIO()
    run(ProgressBar((1000, "epoch"), out=out), trainer, 20)
    lines = out.getvalue().splitlines()
    assert 5 <= len(lines) <= 10
    assert lines[0].startswith("  0%  epoch")


def test_a_bar_on_a_terminal(trainer):
    out = Terminal()
    run(ProgressBar(out=out, bar_length=20), trainer, 12)
    last = out.getvalue().split("\r")[-1]
    assert re.match(r"100%\|#{20}\| epoch 3\.0, iteration 12, .* it/s \[00:00<00:00\]", last)
    assert not [thread for thread in threading.enumerate() if type(thread).__module__.startswith("tqdm")]


def test_a_resumed_run_begins_where_it_was(trainer):
    trainer.go_to(6)
    out = Terminal()
    run(ProgressBar(out=out, bar_length=20), trainer, 0)
    assert " 50%|##########          |" in out.getvalue()


@pytest.mark.parametrize("make", [io.StringIO, Terminal])
def test_of_unknown_length(trainer, make):
    trainer.stop_trigger = lambda trainer: False
    out = make()
    run(ProgressBar(out=out), trainer, 12)
    assert "%" not in out.getvalue()


def test_rarer_looks_at_the_clock(trainer):
    out = io.StringIO()
    run(ProgressBar((8, "iteration"), update_interval=4, out=out), trainer, 8)
    assert [line[:4] for line in out.getvalue().splitlines()] == [" 50%", "100%"]


def test_nothing_happens_outside_a_run(trainer):
    ProgressBar(out=io.StringIO())(trainer)
