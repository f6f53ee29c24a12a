"""The conformance kits: of the backend, and of each of its kernels."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.gpu.parts.reporting import emit, require_gpu


def check(name: str) -> bool:
    """Run one kit, and emit its last line."""
    command = [sys.executable, "-m", "renga", "check", name, "--backend", "cupy"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    failures = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    last = (done.stdout.splitlines() or done.stderr.splitlines() or [""])[-1]
    emit(what=name, works="no" if done.returncode else "yes", why="; ".join([last, *failures[:3]])[:600])
    return done.returncode == 0


def main() -> None:
    require_gpu()
    from renga_backend_cupy.plugin import renga_kernels

    names = ["array_backend:cupy", "plugin:cupy", *[f"kernel:{kernel.op}.cupy" for kernel in renga_kernels()]]
    passed = [check(name) for name in names]
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
