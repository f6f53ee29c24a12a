"""``python -m benchmarks slow-network``: two ranks, each with one thread, joined by a cable of a set rate. Needs root.

Each workload is trained in every way over the unlimited cable and over each rate; throughput is compared with plain
training over the unlimited cable.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.environments import ROOT
from benchmarks.records import RESULTS, load, machine, store
from benchmarks.slow_network.namespaces import limit, on_two_hosts, two_hosts, why_not
from benchmarks.slow_network.rank import TURNS, WAYS
from renga_comm_mpi.launching import find_mpiexec

__all__ = ["main", "markdown"]

PAGE = "slow-network"
RATES = ("1gbit", "200mbit")
TITLES = {None: "unlimited", "1gbit": "1 Gbit/s", "200mbit": "200 Mbit/s"}
LAST = "float16, double-buffered"
GOAL = 0.9
"""Goal: fraction of the unlimited cable's throughput, if computing takes more than half of the communication time."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def main(argv: Sequence[str]) -> int:
    """Measure; return 1 if float16 and double buffering miss the goal, 2 if this machine cannot create namespaces."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks slow-network", description=__doc__)
    parser.add_argument("workloads", nargs="*", default=["lenet", "vgg"], help="default: lenet vgg")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each way (default: 2)")
    arguments = parser.parse_args(argv)
    reason = why_not()
    if reason is not None:
        print(f"slow-network: {reason}", file=sys.stderr)
        return 2
    found: dict[str, dict[str, Any]] = {}
    with two_hosts():
        for rate in (None, *RATES):
            limit(rate)
            for workload in arguments.workloads:
                command = [sys.executable, "-m", "benchmarks.slow_network.rank", workload, str(arguments.seconds)]
                printed = on_two_hosts(find_mpiexec().path, command, ONE_THREAD, timeout=60 + 40 * arguments.seconds)
                found.setdefault(workload, {})[TITLES[rate]] = json.loads(printed.splitlines()[-1])
                print(f"{workload}, {TITLES[rate]}: measured", file=sys.stderr, flush=True)
    known = load(PAGE, RESULTS) | found
    page = markdown(known)
    print(page)
    store(PAGE, RESULTS, known)
    (RESULTS / f"{PAGE}.md").write_text(page)
    return int(any(missed(rows) for rows in found.values()))


def missed(rows: Mapping[str, Any]) -> list[str]:
    """The rates at which it should hide the communication, but does not."""
    return [rate for rate, row in rows.items() if to_hide(row) and share(rows, row, LAST) < GOAL]


def to_hide(row: Mapping[str, Any]) -> bool:
    """Whether computing takes more than half of the communication time, so that 16-bit transfers can be hidden."""
    return bool(row["seconds"]["computing"]["median"] > row["seconds"]["communicating"]["median"] / 2)


def share(rows: Mapping[str, Any], row: Mapping[str, Any], way: str) -> float:
    """Throughput as a fraction of that of plain training over the unlimited cable."""
    return float(rows["unlimited"]["seconds"]["plain"]["median"] / row["seconds"][way]["median"])


def markdown(found: Mapping[str, Mapping[str, Any]]) -> str:
    """The page: a table for each workload."""
    lines = [
        "# slow-network",
        "",
        f"Measured by `python -m benchmarks slow-network` on {machine()}: two ranks, one thread each, in two",
        "network namespaces joined by a veth pair, Open MPI over TCP. Milliseconds a step (slower rank, median of",
        f"{TURNS} turns), and throughput as a share of plain training over the unlimited cable. Where computing takes",
        f"more than half the communication time, the goal of “{LAST}” is {GOAL:.0%}.",
    ]
    for workload, rows in found.items():
        first = next(iter(rows.values()))
        size = first["gradient_bytes"] / 1e6
        head = ["computing", "communicating", "communicating, float16", *WAYS]
        lines += ["", f"## {workload}: {size:.1f} MB of gradients, {first['examples']} examples a rank", ""]
        lines += [f"| cable | {' | '.join(head)} | to be hidden |", f"|---|{'---:|' * len(head)}---|"]
        for rate, row in rows.items():
            cells = []
            for name in head:
                milliseconds = f"{row['seconds'][name]['median'] * 1e3:.1f}"
                cells.append(f"{milliseconds} ({share(rows, row, name):.0%})" if name in WAYS else milliseconds)
            lines.append(f"| {rate} | {' | '.join(cells)} | {'yes' if to_hide(row) else 'no'} |")
    return "\n".join(lines) + "\n"
