"""A compiled step takes no more memory than an ordinary one, while it is recorded either."""

import tracemalloc

import pytest
from small_networks import called, floats

import renga
import renga.functions as F
from renga import Parameter


@pytest.mark.parametrize("compiler", ["replay", "fused"])
def test_peak_memory_of_each_call_is_that_of_an_ordinary_one(compiler):
    if compiler == "fused":
        pytest.importorskip("numba", reason="the compiler `fused` needs numba")
    w = Parameter(floats(64, 64))

    def step(x):
        h = x
        for _ in range(8):
            h = F.tanh(F.matmul(h, w))
        w.cleargrad()
        F.sum(h * h).backward()

    x = floats(2000, 64)
    called(renga.compile(step, compiler), x)  # what numba makes of it is kept
    compiled = renga.compile(step, compiler)
    tracemalloc.start()
    try:
        ordinary = _peak(lambda: step(x))
        peaks = [_peak(lambda: compiled(x)) for _ in range(5)]
    finally:
        tracemalloc.stop()
    assert "replayed" in compiled.explain()
    assert max(peaks) < 1.3 * ordinary + x.nbytes  # and a copy of the argument


def _peak(call):
    """Bytes of arrays that were alive at once, those of earlier calls included."""
    tracemalloc.reset_peak()
    call()
    return tracemalloc.get_traced_memory()[1]
