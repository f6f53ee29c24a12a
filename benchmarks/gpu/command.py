"""`python -m benchmarks gpu`: compares training steps of Renga on CuPy with PyTorch in eager mode, in one run."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.gpu.sizes import SIZES, TINY, Size
from benchmarks.gpu.timing import Contestant, Workload, race
from benchmarks.records import RESULTS, machine
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import ProviderUnavailable, registry

__all__ = ["compare_losses", "main"]

DTYPES = ("float32", "float16", "bfloat16")
HOUR = Path(".benchmarks/gpu")
STEPS = 5
# Allowed relative difference of the losses of both libraries in some steps from the same weights. Adam's first step
# moves each weight by the same amount, even if its gradient is only a rounding error.
TOLERANCE = {"float64": 1e-6, "float32": 1e-2, "float16": 0.1, "bfloat16": 0.2}


@dataclass
class Row:
    """Measurements of one library: seconds per step, the fraction in kernels, bytes used."""

    library: str
    seconds: float
    kernels: float
    memory: int


def main(argv: Sequence[str]) -> int:
    """Run; return 0 also if there is no GPU, with a message."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks gpu", description=__doc__)
    parser.add_argument("--device", default="cupy:0", help="a device of Renga; numpy to check the programs only")
    parser.add_argument("--tiny", action="store_true", help="networks and batches of a size for a CPU")
    parser.add_argument("--dtype", default=",".join(DTYPES), help="separated by commas; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=30, help="number of measurements of each program")
    parser.add_argument(
        "--minutes",
        type=float,
        help="measure everything within this time: versions, tests, captured steps, kits, sanitizers, launches, "
        "bytes per second, networks against PyTorch, NCCL; continues an interrupted run",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=HOUR,
        help="with --minutes, folder for results and the page; default: %(default)s",
    )
    parser.add_argument("--fresh", action="store_true", help="with --minutes, delete the results of earlier runs")
    arguments = parser.parse_args(argv)
    if arguments.minutes is not None:
        return spend(arguments.minutes, arguments.folder, arguments.fresh)
    backend = arguments.device.partition(":")[0]
    try:
        registry(ARRAY_BACKEND).load(backend, probe=True)
    except ProviderUnavailable as error:
        print(f"not run: no GPU. {error}")
        return 0
    sizes = TINY if arguments.tiny else SIZES
    if backend != "cupy":
        for size in sizes:
            ours, theirs = compare_losses(size, arguments.device, "cpu", "float64")
            print(f"{size.name}: the losses of {STEPS} steps agree: {_listed(ours)} and {_listed(theirs)}")
        print("speed not measured: no GPU")
        return 0
    text = "\n\n".join(
        measured(size, dtype, arguments.device, arguments.rounds)
        for size in sizes
        for dtype in arguments.dtype.split(",")
    )
    print(text)
    if not arguments.tiny:
        versions = {name: importlib.metadata.version(name) for name in ("renga", "torch")}
        print(f"written to {os.path.relpath(save_page(text, versions))}")
    return 0


def spend(minutes: float, folder: Path, fresh: bool) -> int:
    """Run all parts, and write the page.

    Returns:
        0; 1 if a part failed or had not enough time; `hour.NO_GPU` if there is no GPU.
    """
    from benchmarks.gpu import hour, report
    from benchmarks.gpu.parts.all import PARTS

    entries = hour.run(PARTS, folder, minutes, fresh)
    print(f"written to {report.write(PARTS, entries, folder)}")
    ends = [end for part in PARTS if (end := hour.end_of(entries, part.name)) is not None]
    if any(map(hour.without_gpu, ends)):
        return hour.NO_GPU
    return int(any(end["how"] == "failed" or end["how"].startswith("time is up") for end in ends))


def compare_losses(size: Size, device: str, torch_device: str, dtype: str) -> tuple[list[float], list[float]]:
    """The losses of some steps with Renga and with PyTorch, from the same weights.

    Raises:
        AssertionError: They differ.
    """
    from benchmarks.gpu.with_renga import RengaStep
    from benchmarks.gpu.with_torch import TorchStep

    ours = RengaStep(size, device, dtype)
    theirs = TorchStep(size, torch_device, dtype, ours.weights())
    losses = [ours.loss() for _ in range(STEPS)], [theirs.loss() for _ in range(STEPS)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=TOLERANCE[dtype], err_msg=f"{size.name} in {dtype}")
    return losses


def measured(size: Size, dtype: str, device: str, rounds: int) -> str:
    """A Markdown table of one network in one dtype."""
    from benchmarks.gpu import instruments
    from benchmarks.gpu.with_renga import RengaStep
    from benchmarks.gpu.with_torch import TorchStep

    title = f"## {size.name}, {dtype}\n\n"
    if dtype not in ("float32", "float64", *registry(ARRAY_BACKEND).get("cupy").provider.capabilities):
        return f"{title}Not run: backend `cupy` does not declare {dtype}."
    compare_losses(size, device, "cuda", dtype)
    weights = RengaStep(size, device, dtype).weights()
    makers: dict[str, Callable[[], RengaStep | TorchStep]] = {
        "renga": lambda: RengaStep(size, device, dtype),
        "renga, captured": lambda: RengaStep(size, device, dtype, capture=True),
        "torch": lambda: TorchStep(size, "cuda", dtype, weights),
    }
    steps, memory = {}, {}
    for library, make in makers.items():
        instruments.release()
        before = instruments.memory_taken()
        steps[library] = make()
        for _ in range(STEPS):
            steps[library]()
        memory[library] = instruments.memory_taken() - before
    contestants = [Contestant(library, _finished(step)) for library, step in steps.items()]
    race(Workload(size.name, contestants), rounds, seconds_a_round=0.5)
    rows = [
        Row(c.library, c.minimum, instruments.share_in_kernels(steps[c.library], STEPS), memory[c.library])
        for c in contestants
    ]
    return title + table(rows)


def save_page(text: str, versions: Mapping[str, str]) -> Path:
    """Write a text to ``benchmarks/results/gpu.md``, with a description of the machine."""
    path = RESULTS / "gpu.md"
    libraries = ", ".join(f"{library} {version}" for library, version in versions.items())
    path.write_text(
        f"# gpu\n\nMeasured by `python -m benchmarks gpu` on {machine()}, Python {platform.python_version()}, "
        f"{libraries}.\n{text}\n"
    )
    return path


def table(rows: Sequence[Row]) -> str:
    """Return rows as Markdown; ratios are relative to the last row, PyTorch."""
    lines = [
        "| library | step, minimum | time / PyTorch's | in kernels | memory taken |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        cells = [
            row.library,
            f"{row.seconds * 1e3:.2f} ms",
            f"{row.seconds / rows[-1].seconds:.2f}",
            f"{row.kernels:.0%}",
            f"{row.memory / 2**20:.0f} MiB",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _finished(step: Callable[[], object]) -> Callable[[], None]:
    """A step that waits for the device before it returns."""
    import torch

    def run() -> None:
        step()
        torch.cuda.synchronize()  # all work of the device, including CuPy's streams

    return run


def _listed(losses: Sequence[float]) -> str:
    return ", ".join(f"{loss:.4f}" for loss in losses)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
