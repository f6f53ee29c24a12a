"""What ranks of a run observe, and when they stop."""

from types import SimpleNamespace

import numpy as np
import pytest

from renga.distributed import launch
from renga.run.distributed import RankSynchronizer


@pytest.mark.parametrize("asked", [0, 1, 2])
def test_who_is_asked_to_stop_stops_all_after_the_same_iteration(asked: int) -> None:
    def program(communicator):
        synchronizer = RankSynchronizer(communicator, 1)
        stops = []
        for iteration in range(4):
            stops.append(synchronizer.agree(communicator.rank == asked and iteration == 1))
            synchronizer(SimpleNamespace(observation={}))
        return stops

    # Told with the observations of iteration 1; nobody asks again, and all have stopped by then.
    assert launch(program, 3) == [[False, False, True, False]] * 3


def test_an_observation_is_the_mean_over_all_examples() -> None:
    def program(communicator):
        observation = {"loss": np.float32(communicator.rank), "same": 0.1, "text": "x"}
        if communicator.rank == 1:
            observation["own"] = 7.0
        RankSynchronizer(communicator, 1 + communicator.rank)(SimpleNamespace(observation=observation))
        return observation

    for observation in launch(program, 3):
        assert observation == {"loss": pytest.approx((2 * 1 + 3 * 2) / 6), "same": 0.1, "own": 7.0, "text": "x"}
