"""Loops over large arrays are shared among threads, and their results do not depend on how many there are."""

import itertools

import numpy as np
import pytest

import renga
import renga.functions as F
from renga import Parameter
from renga_compile.fused.stages import places
from renga_kernels_numba import threads

pytest.importorskip("numba", reason="the compiler `fused` needs numba")


def test_one_thread_and_several_compute_the_same_bits(monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 40, 100)).astype(np.float32)
    shapes = [(100,), (40, 1), (50, 40, 100)]
    parameters = [Parameter(rng.normal(size=shape).astype(np.float32)) for shape in shapes]

    def step(x):
        for p in parameters:
            p.cleargrad()
        y = x
        for p in parameters:
            y = y * p
        sums = [F.sum(y * y, axis=axes) for axes in [(0,), (2,), (0, 2), None]]
        sum([F.sum(s * s) for s in sums], 0.0).backward()
        return sums

    def alone(function, data, pieces):
        shared.append(pieces)
        function(data)

    shared = []
    found = []
    for wrap in (lambda step: renga.compile(step, "fused"), lambda step: step):
        compiled = wrap(step)
        for _ in range(4):
            sums = compiled(x)
        found.append([*[s.array for s in sums], *[p.grad for p in parameters]])
        if hasattr(compiled, "explain"):
            assert compiled.explain() == "fused: replayed, with 1 compiled function"
            with monkeypatch.context() as patch:
                patch.setattr(threads, "in_parallel", alone)
                sums = compiled(x)
            for mine, other in zip([*[s.array for s in sums], *[p.grad for p in parameters]], found[0], strict=True):
                np.testing.assert_array_equal(mine, other)
    assert len(shared) > 1
    for mine, right in zip(*found, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-4, atol=1e-4 * np.abs(right).max())


@pytest.mark.parametrize("seed", range(5))
def test_arrays_that_are_needed_at_once_do_not_overlap(seed):
    rng = np.random.default_rng(seed)
    sizes = {f"a{i}": int(rng.integers(1, 1000)) for i in range(12)}
    spans = {name: sorted(rng.integers(0, 8, 2)) for name in sizes}
    uses = [{name: sizes[name] for name, (a, b) in spans.items() if stage in (a, b)} for stage in range(8)]
    found, size = places(uses)
    for a, b in itertools.combinations(sizes, 2):
        if spans[a][0] <= spans[b][1] and spans[b][0] <= spans[a][1]:
            assert found[a] + sizes[a] <= found[b] or found[b] + sizes[b] <= found[a]
    assert max(found[name] + sizes[name] for name in sizes) <= size < sum(sizes.values()) + 64 * len(sizes)
