import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from renga_training.triggers import IntervalTrigger, get_trigger


@pytest.mark.parametrize(
    ("period", "unit", "expected"),
    [
        (1, "iteration", list(range(1, 13))),
        (5, "iteration", [5, 10]),
        (1, "epoch", [4, 8, 12]),
        (2, "epoch", [8]),
        (0.5, "epoch", [2, 4, 6, 8, 10, 12]),
        (1.5, "epoch", [6, 12]),
    ],
)
def test_fires_at_multiples(fired, period, unit, expected):
    assert fired(lambda: IntervalTrigger(period, unit), 12) == expected


def test_epochs_that_do_not_end_with_an_iteration(fired):
    assert fired(lambda: IntervalTrigger(1, "epoch"), 12, per_epoch=2.5) == [3, 5, 8, 10]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the fixture is a class
@given(st.lists(st.integers(1, 5), min_size=1), st.integers(1, 6))
def test_asked_now_and_then_it_misses_nothing(trainer, steps, period):
    trigger, iteration, asked = IntervalTrigger(period, "iteration"), 0, []
    for step in steps:
        iteration += step
        asked.append(iteration)
    found = trainer().fired(trigger, asked)
    before = [asked[0] - 1, *asked]
    assert found == [now for last, now in zip(before, asked, strict=False) if last // period != now // period]


@pytest.mark.parametrize("unit", ["epoch", "iteration"])
def test_as_stop_trigger_it_does_not_stop_before_the_first_iteration(trainer, unit):
    assert trainer().fired(IntervalTrigger(1, unit), range(1)) == []
    assert IntervalTrigger(20, unit).get_training_length() == (20, unit)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="'epoch' or 'iteration', not 'day'"):
        IntervalTrigger(1, "day")
    for period in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="positive"):
            IntervalTrigger(period, "epoch")


def test_get_trigger():
    def own(trainer):
        return True

    assert get_trigger(own) is own
    assert get_trigger(None)(None) is False
    for pair in ((2, "epoch"), [2, "epoch"]):
        assert repr(get_trigger(pair)) == "IntervalTrigger(2, 'epoch')"
    for wrong in ("epoch", 3, (1,), ("epoch", 1), (1, "epoch", 2)):
        with pytest.raises(TypeError, match="not a trigger"):
            get_trigger(wrong)
    with pytest.raises(ValueError, match="'epoch' or 'iteration', not 'epochs'"):
        get_trigger((1, "epochs"))


def test_asked_before_the_first_batch(trainer):
    """As a stop trigger is; an updater may pass on what its iterator says then."""
    beginning = trainer()
    beginning.updater.previous_epoch_detail = None
    trigger = IntervalTrigger(1, "epoch")
    assert not trigger(beginning)
    assert beginning.fired(trigger, range(1, 9)) == [4, 8]
