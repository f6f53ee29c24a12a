"""``python -m benchmarks allreduce``: sums and means over ranks, compared with a bare `MPI.Allreduce`.

Communicators take turns within a run, so that other load on the machine affects all of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

from benchmarks.environments import ROOT
from benchmarks.records import RESULTS, machine, store
from renga_comm_mpi.launching import find_mpiexec, launch_command, rank_environment

__all__ = ["main", "markdown"]

PAGE = "allreduce"
COMMUNICATORS = ("naive", "flat", "hierarchical", "two_dimensional", "single_node")
SIZES = {"1 kB": 1_000, "1 MB": 1_000_000, "100 MB": 100_000_000}
BARE = "MPI.Allreduce"


def main(argv: Sequence[str]) -> int:
    """Measure and write the page; in a rank, only measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks allreduce", description=__doc__)
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4], metavar="RANKS", help="default: 2 4")
    parser.add_argument("--rounds", type=int, default=5, help="number of turns of each communicator (default: 5)")
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args(argv)
    if arguments.rank:
        measure(arguments.rounds)
        return 0
    found = {}
    for size in arguments.ranks:
        program = [sys.executable, "-m", "benchmarks", PAGE, "--rank", "--rounds", str(arguments.rounds)]
        command = launch_command(find_mpiexec(), program, size)
        environment = rank_environment(size, threads=1) | {"PYTHONPATH": str(ROOT)}
        printed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        if printed.returncode != 0:
            print(printed.stdout + printed.stderr, file=sys.stderr)
            return 1
        found[str(size)] = json.loads(printed.stdout.splitlines()[-1])
    page = markdown(found)
    print(page)
    store(PAGE, RESULTS, found)
    (RESULTS / f"{PAGE}.md").write_text(page)
    return 0


def measure(rounds: int) -> None:
    """Run in each rank; rank 0 prints the median seconds of each method for each size."""
    import numpy as np
    from mpi4py import MPI

    from renga_core.kinds import COMMUNICATOR
    from renga_core.link import Link
    from renga_core.plugin import registry

    world = MPI.COMM_WORLD
    communicators = {name: registry(COMMUNICATOR).load(name)() for name in COMMUNICATORS}
    found: dict[str, dict[str, float]] = {}
    for label, size in SIZES.items():
        x = np.random.default_rng(world.rank).standard_normal(size // 4).astype(np.float32)
        out = np.empty_like(x)
        model: Any = Link(w=x.shape)
        ways: dict[str, Callable[[], object]] = {BARE: partial(world.Allreduce, x, out)}

        def mean_grad(comm: Any, wire: str | None, x: Any = x, model: Any = model) -> None:
            comm.set_config("allreduce_grad_dtype", wire)
            model.w.grad = x
            comm.multi_node_mean_grad(model)

        for name, comm in communicators.items():
            ways[f"{name}: allreduce"] = partial(comm.allreduce, x)
            ways[f"{name}: mean"] = partial(mean_grad, comm, None)
            ways[f"{name}: mean in float16"] = partial(mean_grad, comm, "float16")
            ways[f"{name}: mean in bfloat16"] = partial(mean_grad, comm, "bfloat16")
        times: dict[str, list[float]] = {way: [] for way in ways}
        repeat = max(1, min(200, 10_000_000 // size))
        for turn in range(rounds + 1):
            for way, call in ways.items():
                world.Barrier()
                begin = time.perf_counter()
                for _ in range(repeat):
                    call()
                if turn:  # the first one warms up
                    times[way].append((time.perf_counter() - begin) / repeat)
        found[label] = {way: median(some) for way, some in times.items()}
    if world.rank == 0:
        print(json.dumps(found))


def markdown(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Return the page: for each number of ranks, a table of times, and of bandwidths relative to the bare call's."""
    lines = [
        "# All-reduce",
        "",
        f"{machine()}. `python -m benchmarks allreduce`: one array of float32, ranks of one thread each, one",
        "machine; medians. In brackets: bandwidth relative to a bare `MPI.Allreduce` of the same buffer in the same",
        "run. `mean` is `multi_node_mean_grad` of a model with one gradient. Bare MPI checks nothing; here ranks",
        "first agree on the operation, and every element is summed in the order of ranks.",
    ]
    for ranks, sizes in found.items():
        labels = list(sizes)
        lines += ["", f"## {ranks} ranks", "", f"| | {' | '.join(labels)} |", f"|---|{'---:|' * len(labels)}"]
        for way in sizes[labels[0]]:
            cells = []
            for label in labels:
                ratio = sizes[label][BARE] / sizes[label][way]
                cells.append(_time(sizes[label][way]) + ("" if way == BARE else f" ({ratio:.0%})"))
            lines.append(f"| {way} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"
