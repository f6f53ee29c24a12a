"""The hooks for profiling, with stand-ins for NVTX and for the hooks of CuPy's memory pool."""

import io
import sys
import types

import numpy as np
import pytest

from renga_core.graph import Variable
from renga_nn.functions import sin


class MemoryHook:
    """As CuPy's: a context manager that is told of allocations."""

    active = None

    def __enter__(self):
        MemoryHook.active = self

    def __exit__(self, *_):
        MemoryHook.active = None


@pytest.fixture
def profiling(fake, monkeypatch):
    cuda = sys.modules["cupy"].cuda
    log = []
    nvtx = types.SimpleNamespace(RangePush=log.append, RangePop=lambda: log.append("end"))
    monkeypatch.setattr(cuda, "nvtx", nvtx, raising=False)
    monkeypatch.setattr(cuda, "memory_hook", types.SimpleNamespace(MemoryHook=MemoryHook), raising=False)
    from renga_backend_cupy import profiling

    profiling.log = log
    return profiling


def test_ranges(profiling):
    with profiling.CUDAProfileHook():
        x = Variable(np.ones(1))
        sin(x).backward()
    assert profiling.log == ["Sin.forward", "end", "Sin.backward", "end"]


def test_memory(profiling):
    def take(used, acquired):
        MemoryHook.active.malloc_preprocess(mem_size=used)
        MemoryHook.active.alloc_preprocess(mem_size=acquired)

    class Outer:
        label = "Outer"

    class Inner:
        label = "Inner"

    hook = profiling.CupyMemoryProfileHook()
    with hook:
        take(1, 1)  # outside of functions
        hook.forward_preprocess(Outer, ())
        take(512, 1024)
        hook.backward_preprocess(Inner, (), ())
        take(2048, 0)
        hook.backward_postprocess(Inner, (), ())
        hook.forward_postprocess(Outer, ())
        hook.forward_preprocess(Inner, ())
        take(1024, 0)
        hook.forward_postprocess(Inner, ())
    assert MemoryHook.active is None
    assert hook.call_history == [("Inner", 2048, 0), ("Outer", 2560, 1024), ("Inner", 1024, 0)]
    assert (hook.total_used_bytes(), hook.total_acquired_bytes()) == (3584, 1024)
    assert hook.summary()["Inner"] == {"used_bytes": 3072, "acquired_bytes": 0, "occurrence": 2}
    file = io.StringIO()
    hook.print_report(file=file)
    assert file.getvalue().splitlines() == [
        "FunctionName  UsedBytes  AcquiredBytes  Occurrence",
        "Inner            3.00KB         0.00KB           2",
        "Outer            2.50KB         1.00KB           1",
    ]
    with pytest.raises(ValueError, match="unit is 'kg'"):
        hook.print_report("kg")
