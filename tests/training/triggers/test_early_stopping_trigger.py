import math

import pytest

from renga_training.triggers import EarlyStoppingTrigger


def observe(values, key="main/loss"):
    return {i: {key: value} for i, value in enumerate(values, 1)}


def make(**options):
    return lambda: EarlyStoppingTrigger((1, "iteration"), **options)


def test_stops_after_patience_checks_without_getting_better(fired):
    values = observe([5, 4, 4, 4, 3, 3, 3, 3, 2])
    assert fired(make(), 9, observations=values)[0] == 8
    assert fired(make(patience=2), 9, observations=values)[0] == 4


@pytest.mark.parametrize(
    ("mode", "monitor", "first"),
    [("auto", "main/loss", 3), ("auto", "validation/main/accuracy", None), ("max", "main/loss", None), ("min", "x", 3)],
)
def test_direction(fired, mode, monitor, first):
    values = observe([1, 2, 3, 4, 5], monitor)
    found = fired(make(patience=2, mode=mode, monitor=monitor), 5, observations=values)
    assert (found[0] if found else None) == first


def test_means_over_the_interval_are_compared(fired):
    values = observe([1, 3, 2, 2, 0, 4, 3, 1])
    trigger = lambda: EarlyStoppingTrigger((2, "iteration"), patience=3)  # noqa: E731
    assert fired(trigger, 8, observations=values) == [8]


def test_the_longest_training(fired):
    trigger = make(max_trigger=(2, "epoch"))
    assert fired(trigger, 8, observations=observe(range(9, 0, -1))) == [8]
    assert trigger().get_training_length() == (2, "epoch")
    assert make(max_trigger=lambda trainer: False)().get_training_length() is None


def test_nan_does_not_count_as_better(fired):
    assert fired(make(patience=2), 4, observations=observe([math.nan, 2, math.nan, math.nan]))[0] == 4


def test_what_is_not_reported_is_not_checked_and_said(trainer):
    with pytest.warns(UserWarning, match="'main/loss' was not reported"):
        assert trainer().fired(make(patience=1)(), range(1, 3)) == []


def test_verbose(trainer, capsys):
    trainer(observations=observe([1, 2])).fired(make(patience=1, verbose=True)(), [1, 2])
    assert capsys.readouterr().out == "Stopping: main/loss has not improved on 1.0 for 1 checks.\n"


def test_wrong_mode():
    with pytest.raises(ValueError, match="not 'best'"):
        EarlyStoppingTrigger(mode="best")
