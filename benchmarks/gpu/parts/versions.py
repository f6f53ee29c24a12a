"""Versions of GPU, driver and libraries."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess

from benchmarks.gpu.parts.reporting import emit, require_gpu
from benchmarks.records import machine

PACKAGES = ("renga", "numpy", "cupy-cuda12x", "cupy-cuda13x", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13")
MORE = ("nvidia-cudnn-frontend", "nvidia-nccl-cu12", "nvidia-nccl-cu13", "torch")


def main() -> None:
    emit(what="machine", value=machine())
    for name in (*PACKAGES, *MORE):
        try:
            emit(what=name, value=importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            continue
    if shutil.which("nvidia-smi"):
        fields = "name,driver_version,memory.total,clocks.max.sm,power.limit,mig.mode.current"
        command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        for line in done.stdout.splitlines():
            emit(what=f"nvidia-smi ({fields})", value=line)
    require_gpu()
    import cupy

    for number in range(cupy.cuda.runtime.getDeviceCount()):
        found = cupy.cuda.runtime.getDeviceProperties(number)
        value = f"{found['name'].decode()}, sm_{found['major']}{found['minor']}, {found['multiProcessorCount']} SMs"
        emit(what=f"device {number}", value=value)
    emit(what="CUDA of the driver", value=str(cupy.cuda.runtime.driverGetVersion()))
    emit(what="CUDA of the runtime", value=str(cupy.cuda.runtime.runtimeGetVersion()))


if __name__ == "__main__":
    main()
