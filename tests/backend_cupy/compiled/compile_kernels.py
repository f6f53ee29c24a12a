"""Compile all kernels of the CuPy plugin with NVRTC for several GPUs; needs CuPy and NVRTC, and no GPU.

    python tests/backend_cupy/compiled/compile_kernels.py [--arch 80,90] [--fresh]

Prints JSON: how many were compiled, how many of these were known from an earlier run, and what failed. Known sources
are kept by hash, under ``~/.cache/renga/nvrtc``: they are compiled again when source, options or NVRTC change.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from kernel_sources import Record, complete, elementwise_sources

WANTED = ("70", "75", "80", "86", "90", "100")
"""Volta, Turing, Ampere (A100 and the others), Hopper, Blackwell."""

PROCESSES = 2


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "renga" / "nvrtc"


def compile_one(source: str, options: tuple[str, ...], arch: str) -> str | None:
    """Compile to machine code; NVRTC's message if that fails."""
    from cupy.cuda import compiler

    # The options that CuPy adds last, which it chooses by the GPU at hand.
    last = ("-ftz=true", f"-arch=sm_{arch}", "--device-as-default-execution-space")
    try:
        binary, _ = compiler._NVRTCProgram(source, "kernel.cu", method="cubin").compile((*options, *last))
    except compiler.CompileException as error:
        return str(error)
    return None if binary[:4] == b"\x7fELF" else f"NVRTC gave no machine code, but {binary[:40]!r}"


def jobs(record: Record, archs: list[str]):
    """Label, source, options and architecture of every compilation."""
    sources = []
    for _, kernel in record.elementwise:
        for narrow in (True, False):
            sources += [(label, *complete(code), narrow) for label, code in elementwise_sources(kernel, narrow)]
    for module, kernel in record.raw:
        options = tuple(getattr(kernel, "options", None) or ())
        sources.append((f"source of {module}", *complete(kernel.code, options, headers=False), True))
    for arch in archs:
        for label, source, options, narrow in sources:
            if narrow or arch == archs[-1]:  # wide indices change CuPy's part only: one architecture is enough
                yield f"{label} for sm_{arch}", source, options, arch


def main() -> None:
    from cupy_backends.cuda.libs import nvrtc

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default=",".join(WANTED), help="separated by commas; default: %(default)s")
    parser.add_argument("--fresh", action="store_true", help="compile known sources again")
    arguments = parser.parse_args()
    supported = {str(arch) for arch in nvrtc.getSupportedArchs()}
    wanted = arguments.arch.split(",")
    archs = [arch for arch in wanted if arch in supported]
    record = Record()
    modules = record.import_plugin()
    version = ".".join(map(str, nvrtc.getVersion()))
    started, known, waiting, failures = time.perf_counter(), 0, [], {}
    folder = cache()
    folder.mkdir(parents=True, exist_ok=True)
    for label, source, options, arch in jobs(record, archs):
        stamp = folder / hashlib.sha256(repr((version, source, options, arch)).encode()).hexdigest()
        if stamp.exists() and not arguments.fresh:
            known += 1
        else:
            waiting.append((label, stamp, source, options, arch))
    with ProcessPoolExecutor(PROCESSES) as pool:
        results = pool.map(compile_one, *zip(*[job[2:] for job in waiting], strict=True)) if waiting else ()
        for (label, stamp, *_), message in zip(waiting, results, strict=True):
            if message is None:
                stamp.touch()
            else:
                failures[label] = message
    report = {
        "nvrtc": version,
        "architectures": archs,
        "not supported by this NVRTC": [arch for arch in wanted if arch not in supported],
        "kernels": len(record.elementwise) + len(record.raw),
        "modules": sorted({module for module, _ in [*record.elementwise, *record.raw]}),
        "imported": modules,
        "compiled": len(waiting) - len(failures),
        "known": known,
        "failures": failures,
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
