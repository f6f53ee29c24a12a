"""NCCL: loading the library, a sum over the devices of this process, and the conformance kit of its communicator."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from benchmarks.gpu.parts.bandwidth import seconds
from benchmarks.gpu.parts.reporting import attempt, emit, require_gpu


def main() -> None:
    require_gpu()
    import cupy as cp

    def summed() -> None:
        from cupy.cuda import nccl

        emit(what="version of NCCL", works="yes", why=str(nccl.get_version()))
        (group,) = nccl.NcclCommunicator.initAll([0])
        for size in (1 << 10, 1 << 20, 1 << 26):
            x = cp.ones(size, dtype=cp.float32)

            def add(x: Any = x) -> None:
                stream = cp.cuda.get_current_stream().ptr
                group.allReduce(x.data.ptr, x.data.ptr, x.size, nccl.NCCL_FLOAT32, nccl.NCCL_SUM, stream)

            emit(what=f"sum of {x.nbytes} bytes on one device", works="yes", why=f"{seconds(cp, add) * 1e6:.1f} µs")

    attempt("NCCL on one device", summed)
    command = [sys.executable, "-m", "renga", "check", "communicator:pure_nccl", "--backend", "cupy"]
    # On one GPU: NCCL 2.30 and newer allows several ranks on it, if enabled.
    several = os.environ | {"NCCL_MULTI_RANK_GPU_ENABLE": "1"}
    done = subprocess.run(command, env=several, capture_output=True, text=True, check=False)
    last = (done.stdout.splitlines() or done.stderr.splitlines() or [""])[-1]
    emit(what="communicator:pure_nccl", works="no" if done.returncode else "yes", why=last[:300])


if __name__ == "__main__":
    main()
