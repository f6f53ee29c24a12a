import math

import pytest

from renga_training.triggers import BestValueTrigger, MaxValueTrigger, MinValueTrigger


def observe(*values):
    return {i: {"v": value} for i, value in enumerate(values, 1)}


def test_minimum_and_maximum_of_epoch_means(fired):
    # Epoch means with four iterations each: 2, 3, 1, 1.
    values = observe(1, 3, 2, 2, 3, 3, 3, 3, 0, 1, 1, 2, 1, 1, 1, 1)
    assert fired(lambda: MinValueTrigger("v"), 16, observations=values) == [4, 12]
    assert fired(lambda: MaxValueTrigger("v"), 16, observations=values) == [4, 8]


def test_a_comparison_of_ones_own(fired):
    nearer_five = lambda best, new: abs(new - 5) < abs(best - 5)  # noqa: E731
    values = observe(1, 9, 4, 8, 5)
    make = lambda: BestValueTrigger("v", nearer_five, (1, "iteration"))  # noqa: E731
    assert fired(make, 5, observations=values) == [1, 3, 5]


def test_nan_is_never_the_best(fired):
    values = observe(math.nan, 2, math.nan, 1)
    assert fired(lambda: MinValueTrigger("v", (1, "iteration")), 4, observations=values) == [2, 4]


def test_reported_now_and_then(fired):
    values = {4: {"v": 2}, 8: {"v": 1}}
    assert fired(lambda: MinValueTrigger("v"), 8, observations=values) == [4, 8]


def test_never_reported(trainer):
    observations = {4: {"main/loss": 1, "lr": 2}}
    with pytest.raises(KeyError, match=r"MaxValueTrigger: .v. was not reported .*\. Known: main/loss, lr"):
        trainer(observations=observations).fired(MaxValueTrigger("v"), range(1, 5))
