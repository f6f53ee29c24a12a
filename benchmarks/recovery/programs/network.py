"""The network, in Renga."""

from itertools import pairwise

import renga
import renga.functions as F
import renga.links as L
from benchmarks.recovery.programs.progress import WIDTHS

__all__ = ["MLP"]


class MLP(renga.Chain):
    """784-1000-1000-10."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = (L.Linear(a, b) for a, b in pairwise(WIDTHS))

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))
