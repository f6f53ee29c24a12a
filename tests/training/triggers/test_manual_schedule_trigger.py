import pytest

from renga_training.triggers import ManualScheduleTrigger


@pytest.mark.parametrize(
    ("points", "unit", "expected"),
    [([3, 7], "iteration", [3, 7]), (5, "iteration", [5]), ([1, 2.5], "epoch", [4, 10]), ([0.1], "epoch", [1])],
)
def test_fires_when_a_point_is_reached_or_passed(fired, points, unit, expected):
    assert fired(lambda: ManualScheduleTrigger(points, unit), 12) == expected


def test_a_point_passed_between_two_calls(trainer):
    trigger = ManualScheduleTrigger([3, 4, 9], "iteration")
    assert trainer().fired(trigger, [1, 6, 8, 12]) == [6, 12]


def test_wrong_unit():
    with pytest.raises(ValueError, match="not 'second'"):
        ManualScheduleTrigger([1], "second")
