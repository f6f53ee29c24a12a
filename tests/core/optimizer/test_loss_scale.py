import pytest

from renga_core.optimizer.loss_scale import HIGHEST, DynamicLossScale


def test_doubles_in_the_interval():
    scale = DynamicLossScale(interval=4)
    for _ in range(4):
        scale.adjust(finite=True)
    assert scale.value == pytest.approx(2)


def test_halves_when_gradients_are_not_finite_but_not_below_one():
    scale = DynamicLossScale(interval=1)
    scale.adjust(finite=True)
    scale.adjust(finite=True)
    scale.adjust(finite=False)
    assert scale.value == 2
    for _ in range(3):
        scale.adjust(finite=False)
    assert scale.value == 1


def test_stays_within_float16():
    scale = DynamicLossScale(interval=1)
    for _ in range(100):
        scale.adjust(finite=True)
    assert scale.value == HIGHEST


def test_interval():
    with pytest.raises(ValueError, match="at least 1 update, not 0"):
        DynamicLossScale(0)


def test_starts_where_it_is_told_to():
    scale = DynamicLossScale(1000, 2.0**15)
    scale.adjust(finite=False)
    assert scale.value == 2**14
    for value in (0.5, 65536, float("nan")):
        with pytest.raises(ValueError, match="a loss scale is from 1 to 65504, not"):
            DynamicLossScale(1000, value)
