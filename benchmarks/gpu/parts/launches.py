"""Kernel launches and waits of the host in a training step, and the fraction of time in which the GPU works."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.gpu.parts.reporting import attempt, emit, require_gpu
from benchmarks.gpu.sizes import SIZES

STEPS = 3
WAITS = ("cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize", "cudaMemcpy")


def events_of(run: object, steps: int) -> Counter[str]:
    """Calls of the driver in some steps: kernels by category, and waiting calls by name."""
    import torch

    kinds = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=kinds) as profile:
        for _ in range(steps):
            run()  # type: ignore[operator]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profile.export_chrome_trace(str(path))
        found: Counter[str] = Counter()
        for event in json.loads(path.read_text())["traceEvents"]:
            found[str(event.get("cat"))] += 1
            found[str(event.get("name"))] += event.get("cat") == "cuda_runtime"
        return found


def main() -> None:
    require_gpu()
    import cupyx

    from benchmarks.gpu import instruments
    from benchmarks.gpu.with_renga import RengaStep

    for size in SIZES:
        for dtype in ("float32", "float16"):
            step = RengaStep(size, "cupy:0", dtype)
            for _ in range(3):
                step()
            found = events_of(step, STEPS)
            emit(
                step=f"{size.name}, {dtype}",
                launches=round(found["kernel"] / STEPS, 1),
                copies=round(found["gpu_memcpy"] / STEPS, 1),
                waits=round(sum(found[name] for name in WAITS) / STEPS, 1),
                busy=round(instruments.share_in_kernels(step, STEPS), 3),
            )

            def strict(step: RengaStep = step) -> None:
                with cupyx.allow_synchronize(False):
                    step()

            attempt(f"{size.name}, {dtype}: a step in which nothing waits for the GPU", strict)


if __name__ == "__main__":
    main()
