import pytest

from renga_training.triggers import TimeTrigger


def test_fires_when_a_period_has_passed(fired):
    # Half a second an iteration.
    assert fired(lambda: TimeTrigger(1.5), 10) == [3, 6, 9]


def test_several_periods_in_one_iteration_count_once(trainer):
    assert trainer().fired(TimeTrigger(1), [1, 9, 10, 11]) == [9, 10]


def test_wrong_period():
    with pytest.raises(ValueError, match="positive number of seconds"):
        TimeTrigger(0)
