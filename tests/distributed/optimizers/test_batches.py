"""How much each batch counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga.distributed import launch
from renga_distributed.optimizers.batches import Batches


def mean_over_ranks(communicator, values: list[list[list[float]]]) -> float | None:
    """What becomes of one number for each example, if each batch's mean stands for its gradient."""
    mine = values[communicator.rank]
    batches = Batches(communicator, weighted=True, accumulate=len(mine))
    gradient = 0.0
    for number, batch_values in enumerate(mine):
        batch = batches.add((batch_values,), {})
        if batch is None:
            return None
        assert (batch.first, batch.last) == (number == 0, number == len(mine) - 1)
        assert batch.examples == len(batch_values)
        if batch.last:
            gradient *= batch.rescale
        if batch_values:
            gradient += batch.factor * np.mean(batch_values)
    return float(communicator.allreduce(np.array(gradient))) / communicator.size


numbers = st.lists(st.floats(-1, 1), max_size=4)


@given(
    st.tuples(st.integers(1, 3), st.integers(1, 3)).flatmap(
        lambda shape: st.lists(
            st.lists(numbers, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        )
    )
)
def test_each_example_counts_alike(values: list[list[list[float]]]) -> None:
    everything = [x for of_rank in values for batch in of_rank for x in batch]
    for found in launch(mean_over_ranks, len(values), values):
        if everything:
            assert found == pytest.approx(np.mean(everything), abs=1e-12)
        else:
            assert found is None


def test_each_batch_counts_alike_unless_weighted() -> None:
    def program(communicator):
        batches = Batches(communicator, weighted=False, accumulate=3)
        return [(batch.factor, batch.rescale) for batch in (batches.add((range(n),), {}) for n in (5, 2, 8, 1))]

    for found in launch(program, 3):
        assert found == [(1 / 3, 1.0)] * 4


def test_a_new_update_begins_anew() -> None:
    def program(communicator):
        batches = Batches(communicator, weighted=True, accumulate=2)
        return [batches.add((range(n),), {}) for n in (3, 1, 3, 1)]

    (found,) = launch(program, 1)
    assert found[:2] == found[2:]


def test_the_first_argument_is_counted() -> None:
    def program(communicator):
        batches = Batches(communicator, weighted=True, accumulate=1)
        assert batches.add((), {"x": np.zeros((4, 2)), "t": 0}).examples == 4
        assert batches.add(([1, 2], 3), {}).examples == 2
        with pytest.raises(TypeError, match="int without a length"):
            batches.add((3,), {})
        with pytest.raises(TypeError, match="it has none"):
            batches.add((), {})

    launch(program, 1)


def test_no_batches() -> None:
    with pytest.raises(ValueError, match="accumulate must be at least 1, not 0"):
        Batches(None, weighted=False, accumulate=0)
