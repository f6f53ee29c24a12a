import numpy as np
import pytest

from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.reporter import report
from renga_data.iterators import SerialIterator
from renga_optimizers import SGD
from renga_training import StandardUpdater, Trainer


class Model(Link):
    """One number, and a running mean of what it has seen."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = Parameter(np.array([0.5]))
        self.add_persistent("seen", np.zeros(()))
        self.add_persistent("calls", 0)

    def forward(self, x):
        self.seen *= 0.5
        self.seen += 0.5 * x.mean()
        self.calls += 1
        error = x * self.w
        loss = (error * error).sum()
        report({"loss": loss, "x": x.mean()}, self)
        return loss


@pytest.fixture
def make_trainer():
    """A trainer of this rank's own model, on 4 examples in batches of 1; `stop` says when."""

    def make(comm, out, stop=(3, "epoch"), lr=0.001, seed=None):
        data = np.arange(4.0)[:, None] + 10 * comm.rank
        iterator = SerialIterator(data, 1, seed=comm.rank if seed is None else seed)
        optimizer = SGD(lr).setup(Model())
        return Trainer(StandardUpdater(iterator, optimizer), stop, out=out / str(comm.rank))

    return make
