"""Measures the cost of a training step on a GPU, in the same way for both libraries."""

from __future__ import annotations

import gc
import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = ["busy", "memory_taken", "release", "share_in_kernels"]

ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def share_in_kernels(run: Callable[[], object], steps: int) -> float:
    """Fraction of the time of `steps` steps in which the GPU computes or copies.

    PyTorch's profiler records everything that the process does on the GPU, including CuPy's kernels.
    """
    import torch

    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(steps):
            run()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profile.export_chrome_trace(str(path))
        return busy(json.loads(path.read_text())["traceEvents"])


def busy(events: Iterable[dict[str, object]]) -> float:
    """Fraction of the time from the first to the last event on the GPU in which an event runs."""
    spans = sorted((float(e["ts"]), float(e["ts"]) + float(e["dur"])) for e in events if e.get("cat") in ON_GPU)  # type: ignore[arg-type]  # numbers
    if not spans:
        return 0.0
    covered, reached = 0.0, spans[0][0]
    for start, end in spans:
        covered += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return covered / (reached - spans[0][0]) if reached > spans[0][0] else 1.0


def release() -> None:
    """Return unused memory to the driver."""
    import cupy
    import torch

    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    cupy.get_default_memory_pool().free_all_blocks()


def memory_taken() -> int:
    """Bytes of GPU memory in use according to the driver. The libraries keep freed memory, so this only grows, up to
    the peak."""
    import torch

    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    return total - free
