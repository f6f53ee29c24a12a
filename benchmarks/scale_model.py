"""``python -m benchmarks scale-model``: iterations as `renga scale-model` predicts them, and as measured. Needs root.

Two ranks, each with one thread, are joined by a cable of a set rate, as in `slow_network`. The prediction is not
fitted: the constants of the link come from ``renga scale-model --calibrate`` over the cable, and the computing time
from both ranks computing at once without communication.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.environments import ROOT
from benchmarks.records import RESULTS, load, machine, store
from benchmarks.slow_network.namespaces import limit, on_two_hosts, two_hosts, why_not
from benchmarks.slow_network.rank import BUCKET_BYTES
from renga_comm_mpi.launching import find_mpiexec
from renga_distributed.scale_model import Cluster, Link, Step, predict

__all__ = ["main", "markdown"]

PAGE = "scale-model"
RATES = ("1gbit", "200mbit")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
SCHEDULES = {
    "plain": ("float32", "plain"),
    "overlapped": ("float32", "overlap"),
    "double-buffered": ("float32", "double_buffering"),
    "float16": ("float16", "plain"),
    "float16, overlapped": ("float16", "overlap"),
    "float16, double-buffered": ("float16", "double_buffering"),
    "bfloat16, double-buffered": ("bfloat16", "double_buffering"),
}
"""For each method of `slow_network`, its name in the scale model."""


def main(argv: Sequence[str]) -> int:
    """Measure and predict; return 2 if this machine cannot create namespaces."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale-model", description=__doc__)
    parser.add_argument("workloads", nargs="*", default=["lenet", "vgg"], help="default: lenet vgg")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each way (default: 2)")
    parser.add_argument("--rates", nargs="+", default=RATES, metavar="RATE", help=f"default: {' '.join(RATES)}")
    arguments = parser.parse_args(argv)
    reason = why_not()
    if reason is not None:
        print(f"scale-model: {reason}", file=sys.stderr)
        return 2
    known = load(PAGE, RESULTS)
    found: dict[str, Any] = {workload: dict(known.get(workload, {})) for workload in arguments.workloads}
    calibrate = [sys.executable, "-m", "renga", "scale-model", "--calibrate", "flat", "--json"]
    with two_hosts():
        mpiexec = find_mpiexec().path
        for rate in arguments.rates:
            limit(rate)
            links = json.loads(on_two_hosts(mpiexec, calibrate, ONE_THREAD, timeout=120))
            for workload, rows in found.items():
                command = [sys.executable, "-m", "benchmarks.slow_network.rank", workload, str(arguments.seconds)]
                printed = on_two_hosts(mpiexec, command, ONE_THREAD, timeout=60 + 40 * arguments.seconds)
                rows[rate] = {"link": links["allreduce"]["link"], **json.loads(printed.splitlines()[-1])}
                print(f"{workload}, {rate}: measured", file=sys.stderr, flush=True)
    found = known | found
    page = markdown(found)
    print(page)
    store(PAGE, RESULTS, found)
    (RESULTS / f"{PAGE}.md").write_text(page)
    return 0


def markdown(found: Mapping[str, Any]) -> str:
    """The page: a table for each workload."""
    lines = [
        "# Predicted and measured",
        "",
        f"{machine()}. `python -m benchmarks scale-model`: two ranks of one thread each, iterations in",
        "milliseconds, and the prediction of `renga scale-model` from only the constants of the cable and the",
        "computing time.",
    ]
    for workload, rates in found.items():
        lines += ["", f"## {workload}", "", "| cable | way | measured | model | ratio |", "|---|---|---|---|---|"]
        for rate, row in rates.items():
            link = Link(**row["link"])
            cable = f"{rate}: {link.latency * 1e6:.0f} µs, {link.bandwidth / 1e6:.1f} MB/s"
            for way, (dtype, schedule) in SCHEDULES.items():
                seconds = row["seconds"][way]["median"]
                model = predicted(row, dtype, schedule)
                figures = f"{seconds * 1e3:.1f} | {model * 1e3:.1f} | {model / seconds:.2f}"
                lines.append(f"| {cable} | {way} | {figures} |")
    return "\n".join([*lines, ""])


def predicted(measured: Mapping[str, Any], dtype: str, schedule: str) -> float:
    """Seconds an iteration."""
    compute, link = measured["seconds"]["computing"]["median"], Link(**measured["link"])
    step = Step(measured["gradient_bytes"] // 4, compute / 3, compute * 2 / 3, bucket_bytes=BUCKET_BYTES)
    step = replace(step, dtype=dtype, schedule=schedule)
    return predict(step, Cluster(link, link), 2).iteration
