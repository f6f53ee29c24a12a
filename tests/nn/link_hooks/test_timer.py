import time

import numpy as np
import pytest

from renga_core.link import Chain, Link
from renga_nn.link_hooks import TimerHook


class Sleeper(Link):
    def forward(self, seconds):
        time.sleep(seconds)
        if seconds > 0.04:
            raise RuntimeError
        return seconds


class Twice(Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.part = Sleeper()

    def forward(self, seconds):
        return self.part(seconds) + self.part(seconds)


def test_links_within_links():
    with TimerHook() as hook:
        Twice()(0.01)
        Sleeper()(0.02)
    assert [name for name, _ in hook.call_history] == ["Sleeper", "Sleeper", "Twice", "Sleeper"]
    summary = hook.summary()
    assert {name: row["occurrence"] for name, row in summary.items()} == {"Sleeper": 3, "Twice": 1}
    assert summary["Twice"]["elapsed_time"] >= 0.02
    assert summary["Sleeper"]["elapsed_time"] >= 0.04
    assert hook.total_time() == pytest.approx(summary["Twice"]["elapsed_time"] + hook.call_history[-1][1])


def test_a_link_that_fails_does_not_count():
    with TimerHook() as hook:
        with pytest.raises(RuntimeError):
            Twice()(0.05)
        Sleeper()(0.0)
    assert [name for name, _ in hook.call_history] == ["Sleeper"]
    assert hook.total_time() == hook.call_history[0][1]


def test_report(capsys):
    hook = TimerHook()
    hook.call_history = [("Linear", 0.5), ("Convolution2D", 0.0025), ("Linear", 1.0)]
    hook.print_report()
    assert capsys.readouterr().out.splitlines() == [
        "LinkName       ElapsedTime  Occurrence",
        "Linear             1.50sec           2",
        "Convolution2D      0.00sec           1",
    ]
    hook.print_report("auto_foreach")
    assert "2.50ms" in capsys.readouterr().out
    hook.print_report("us")
    assert "2500.00us" in capsys.readouterr().out
    with pytest.raises(ValueError, match="unit is 'hours', but must be one of sec, ms, us, ns, auto, auto_foreach"):
        hook.print_report("hours")


def test_a_report_of_nothing(capsys):
    TimerHook().print_report()
    assert capsys.readouterr().out == "LinkName  ElapsedTime  Occurrence\n"
    assert np.isclose(TimerHook().total_time(), 0)
