"""Data sets, iterators and extensions on ranks that MPI connects; all else about them is tried on threads."""

from itertools import chain

import numpy as np

from renga_core.link import Link
from renga_core.reporter import report
from renga_data.datasets import TupleDataset
from renga_data.iterators import SerialIterator
from renga_distributed.create import create_communicator
from renga_distributed.datasets import scatter_dataset
from renga_distributed.extensions import (
    AllreducePersistent,
    GenericMultiNodeEvaluator,
    ObservationAggregator,
    create_multi_node_evaluator,
)
from renga_distributed.iterators import create_multi_node_iterator, create_synchronized_iterator
from renga_training.extensions import Evaluator


class Model(Link):
    def __init__(self):
        super().__init__()
        self.add_persistent("mean", np.zeros(3))

    def forward(self, x, t):
        report({"value": (x.sum(1) * t).mean()}, self)


def data():
    return TupleDataset(np.arange(60.0).reshape(20, 3), np.arange(20))


def iterator(dataset, **options):
    return SerialIterator(dataset, 3, repeat=False, **options)


def everything():
    comm = create_communicator("naive")
    part = scatter_dataset(
        data() if comm.rank == 1 else None, comm, root=1, shuffle=True, seed=0, max_buf_len=50, force_equal_length=False
    )
    whole = scatter_dataset(range(6) if comm.rank == 0 else None, comm)
    model = Model()
    model.mean += comm.rank
    AllreducePersistent(model, comm)()
    trainer = type("Trainer", (), {"observation": {"a": np.float32(comm.rank)}})
    ObservationAggregator(comm, "a", comm_trigger=lambda trainer: True)(trainer)
    shuffled = create_synchronized_iterator(iterator(range(20), seed=comm.rank), comm)
    return {
        "part": [int(t) for _, t in part],
        "whole": whole[:],
        "mean": create_multi_node_evaluator(Evaluator(iterator(part, shuffle=False), model), comm)(),
        "batches": GenericMultiNodeEvaluator(comm, iterator(part), lambda x, t: t.tolist(), root=1)(),
        "sent": list(
            create_multi_node_iterator(iterator(range(7), shuffle=False) if comm.rank == 2 else None, comm, 2)
        ),
        "shuffled": list(shuffled),
        "persistent": model.mean.tolist(),
        "observed": trainer.observation["a"],
    }


def test_everything(rank_pool):
    found = rank_pool(3).run(everything)
    assert sorted(chain(*(rank["part"] for rank in found))) == list(range(20))
    assert [len(rank["part"]) for rank in found] == [7, 7, 6]
    assert [rank["whole"] for rank in found] == [[0, 1], [2, 3], [4, 5]]
    mean = np.mean([x.sum() * t for x, t in data()])
    for rank in found:
        assert rank["mean"]["main/value"] == mean
        assert rank["sent"] == [[0, 1, 2], [3, 4, 5], [6]]
        assert rank["shuffled"] == found[0]["shuffled"]
        assert rank["persistent"] == [1, 1, 1]
        assert rank["observed"] == 1
    assert [rank["batches"] is None for rank in found] == [True, False, True]
    assert sorted(chain(*found[1]["batches"])) == list(range(20))
