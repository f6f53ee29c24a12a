"""NVIDIA's compute-sanitizer on the tests of the kernels: memory out of range, races in shared memory."""

from __future__ import annotations

import shutil
import subprocess
import sys

from benchmarks.environments import ROOT
from benchmarks.gpu.parts.reporting import emit, require_gpu


def main() -> None:
    require_gpu()
    tool = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if tool is None:
        emit(what="compute-sanitizer", works="skipped", why="not installed: it comes with the CUDA toolkit")
        return
    bad = False
    tests = ["-m", "pytest", "-q", "-x", "-W", "default", "tests/backend_cupy/test_gpu.py", "-k", "not captured"]
    for check in ("memcheck", "racecheck", "initcheck"):
        command = [tool, "--tool", check, "--error-exitcode", "9", sys.executable, *tests]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if "ERROR SUMMARY" in line or "Invalid" in line]
        bad |= done.returncode != 0
        emit(what=check, works="no" if done.returncode else "yes", why="; ".join(lines[-3:])[:600])
    sys.exit(int(bad))


if __name__ == "__main__":
    main()
