import math

import numpy as np
import pytest

from renga_core.reporter import Reporter
from renga_training.extensions import MicroAverage


def run(extension, trainer, observations):
    """What it reports, by iteration."""
    found = {}
    for observation in observations:
        trainer.iterate(dict(observation))
        reporter = Reporter()
        with reporter.scope(trainer.observation):
            extension(trainer)
        if "ratio" in trainer.observation:
            found[trainer.updater.iteration] = trainer.observation["ratio"]
    return found


PAIRS = [(1, 2), (5, 10), (0, 1), (3, 3), (2, 8), (1, 1), (0, 4), (7, 7)]
OBSERVATIONS = [{"right": np.float32(a), "all": b} for a, b in PAIRS]


def test_the_ratio_of_sums(trainer):
    found = run(MicroAverage("right", "all", "ratio"), trainer, OBSERVATIONS)
    assert found == {4: pytest.approx(9 / 16), 8: pytest.approx(10 / 20)}


@pytest.mark.parametrize("cut", range(8))
def test_resumed(trainer, reload, cut):
    first, second = (MicroAverage("right", "all", "ratio", (3, "iteration")) for _ in range(2))
    found = run(first, trainer, OBSERVATIONS[:cut])
    reload(first, second)
    found |= run(second, trainer, OBSERVATIONS[cut:])
    assert found == {3: pytest.approx(6 / 13), 6: pytest.approx(6 / 12)}


def test_iterations_that_do_not_report_both_do_not_count(trainer):
    observations = [{"right": 1, "all": 2}, {"right": 100}, {"all": 100}, {}]
    assert run(MicroAverage("right", "all", "ratio"), trainer, observations) == {4: 0.5}


def test_of_nothing(trainer):
    assert run(MicroAverage("right", "all", "ratio"), trainer, [{}] * 4) == {}
    found = run(MicroAverage("right", "all", "ratio"), trainer, [{"right": 0, "all": 0}] * 4)
    assert math.isnan(found[8])
