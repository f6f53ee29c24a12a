"""What is compiled is what gains by it."""

import numpy as np
import pytest

import renga
import renga.functions as F
from renga import Parameter

pytest.importorskip("numba", reason="the compiler `fused` needs numba")


def test_sums_of_gradients_alone_stay_where_they_are():
    # As in a recurrent network: each use of a parameter adds to its gradient.
    w, b = Parameter(np.ones((600, 600), np.float32)), Parameter(np.ones(600, np.float32))

    def step(x):
        h = x
        for _ in range(4):
            h = F.linear(h, w, b)
        w.cleargrad()
        b.cleargrad()
        F.sum(h).backward()

    sources = []
    for compiler in ("replay", "fused"):
        compiled = renga.compile(step, compiler)
        for _ in range(4):
            compiled(np.ones((5, 600), np.float32))
        sources.append(compiled.source)
    assert compiled.explain() == "replayed, but not fused: no operations on its arrays gain by it"
    assert sources[0] == sources[1]
