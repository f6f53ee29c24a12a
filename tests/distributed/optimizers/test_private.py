"""What each rank holds alone is put back as it was, and shared out among another number of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga.distributed import create_multi_node_optimizer, launch
from renga_distributed.optimizers.accumulated import Accumulated
from renga_distributed.optimizers.batches import Batches

X = np.random.default_rng(0).normal(size=(24, 3))


class Place:
    """A communicator that only knows where it is."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_sums_of_gradients_are_shared_out_so_that_each_example_counts_once(weighted: bool, size: int) -> None:
    """The mean over ranks, as it is computed at the end, is that of all ranks before."""
    counts = [[4, 2], [3, 2], [0, 1]] if weighted else [[1, 1]] * 3
    gradients = np.random.default_rng(1).normal(size=(3, 5))
    units = [Batches(Place(0, 3), weighted, 4).unit(first) for first, _ in counts]  # type: ignore[arg-type]  # enough
    states = [{"counts": np.array(c), "/W": g} for c, g in zip(counts, gradients, strict=True)]
    total = np.zeros(5)
    for rank in range(size):
        batches = Batches(Place(rank, size), weighted, 4)  # type: ignore[arg-type]  # enough
        mine = Accumulated(None, batches, Place(rank, size)).share_out(states)  # type: ignore[arg-type]  # enough
        if "/W" in mine:
            total += mine["/W"] * batches.unit(int(mine["counts"][0])) / (1 if weighted else size * 4)
        if not weighted:
            assert mine["counts"].tolist() == [1, 1]
    expected = sum(u * g / (1 if weighted else 3 * 4) for u, g in zip(units, gradients, strict=True))
    np.testing.assert_allclose(total, expected, rtol=1e-12)


def test_no_sums_are_no_sums() -> None:
    batches = Batches(Place(0, 2), True, 4)  # type: ignore[arg-type]  # enough
    assert Accumulated(None, batches, Place(0, 2)).share_out([{}, {}, {}]) == {}  # type: ignore[arg-type]  # enough


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_shares_are_taken_and_shared_out(dtype: Any) -> None:
    """Three ranks train; two go on with their shares as if the three had written a snapshot."""

    def model() -> L.Linear:
        renga.random.seed(0)
        with renga.using_config("dtype", np.dtype(dtype)):
            return L.Linear(3, 5)

    def optimizer(communicator: Any) -> Any:
        plain = renga.optimizers.Adam()
        plain.use_fp32_update()
        return create_multi_node_optimizer(plain, communicator, sharded=True).setup(models[communicator.rank])

    def update(made: Any, batch: int) -> None:
        made.update(lambda x: F.sum(made.target(x) ** 2), X[batch : batch + 4].astype(dtype))

    def three(communicator: Any) -> Any:
        made = optimizer(communicator)
        update(made, communicator.rank)
        update(made, 4)
        held = {key: array.copy() for key, array in made.private["shares"].own().items()}
        saving = renga.serializers.DictionarySerializer()
        made.target.serialize(saving["model"])
        with made.serializing_own_share():
            made.serialize(saving["optimizer"])
        whole = renga.serializers.DictionarySerializer()
        made.serialize(whole)
        return held, {key: array.copy() for key, array in saving.target.items()}, dict(whole.target)

    def two(communicator: Any) -> Any:
        made = optimizer(communicator)
        loading = renga.serializers.NpzDeserializer(found[0][1])
        made.target.serialize(loading["model"])
        with made.serializing_own_share():
            made.serialize(loading["optimizer"])
        shares = made.private["shares"]
        shares.take(shares.share_out([held for held, _, _ in found]))
        whole = renga.serializers.DictionarySerializer()
        made.serialize(whole)
        made.assume_synchronized()
        update(made, 8)
        return dict(whole.target), made.target.W.array.tolist()

    def from_snapshot(communicator: Any) -> Any:
        made = optimizer(communicator)
        made.target.serialize(renga.serializers.NpzDeserializer(found[0][1])["model"])
        made.serialize(renga.serializers.NpzDeserializer(found[0][2]))
        made.assume_synchronized()
        update(made, 8)
        return made.target.W.array.tolist()

    models = [model() for _ in range(3)]
    found = launch(three, 3)
    assert ("/W/fp32_param" in found[0][0]) == (dtype == np.float16)
    models = [model() for _ in range(2)]
    shared = launch(two, 2)
    for whole, _ in shared:
        assert whole.keys() == found[0][2].keys()
        for key, array in whole.items():
            np.testing.assert_array_equal(array, found[0][2][key], err_msg=key)
    models = [model() for _ in range(2)]
    assert [weights for _, weights in shared] == launch(from_snapshot, 2)
