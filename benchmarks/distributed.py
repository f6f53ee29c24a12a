"""``python -m benchmarks distributed``: compares two ranks with one thread each to one rank with one thread.

Batches of one size for each rank (weak scaling): ideal are twice as many examples per second. In each round, one rank
trains alone, then two ranks in each way, all for the same number of steps; ranks without a turn sleep. Two ranks
without communication show the loss of the machine itself when both of its cores work.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.environments import ROOT
from benchmarks.programs import with_renga
from benchmarks.records import RESULTS, machine, store
from renga.distributed import create_communicator, create_multi_node_optimizer
from renga.optimizers import MomentumSGD
from renga_comm_mpi.testing import RankPool

__all__ = ["main", "markdown"]

PAGE = "distributed"
ALONE, SILENT = "one rank", "two ranks that do not talk"
WAYS: dict[str, dict[str, Any]] = {
    "plain": {},
    "overlap": {"overlap": True},
    "double buffering": {"double_buffering": True},
    "sharded": {"sharded": True},
    "overlap, sharded": {"overlap": True, "sharded": True},
}
"""By name: arguments of `create_multi_node_optimizer`."""
LENET, VGG = "LeNet, 28×28", "VGG-small (64-128-256, BN), 32×32"
WORKLOADS = {"lenet": ("lenet", 1, LENET), "lenet-256": ("lenet", 4, LENET), "vgg": ("vgg", 1, VGG)}
"""By name: a program, the number of its batches in one batch here, and a title."""
GOAL = 1.9
WARM_UP = 3

_communicator: Any = None
_steps: dict[str, Any] = {}


def main(argv: Sequence[str]) -> int:
    """Measure; 1 if, in a workload, the median of plain training is below the goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks distributed", description=__doc__)
    parser.add_argument("workloads", nargs="*", default=list(WORKLOADS), help="default: all of %(default)s")
    parser.add_argument("--communicator", default="hierarchical", help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=15, help="number of turns of each way; default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=0.25, help="approximate duration of a turn in seconds; default: %(default)s"
    )
    arguments = parser.parse_args(argv)
    path = {"PYTHONPATH": str(ROOT)}
    found: dict[str, Any] = {}
    with RankPool(1, path) as one, RankPool(2, path) as two:
        for workload in arguments.workloads:
            about = _run(one, prepare, workload, arguments.communicator, [ALONE])[0]
            shares = _run(two, prepare, workload, arguments.communicator, [SILENT, *WAYS])
            steps = max(2, round(arguments.seconds / min(_run(one, turn, ALONE, 3)[0] for _ in range(3))))
            seconds: dict[str, list[float]] = {}
            for _ in range(arguments.rounds):
                seconds.setdefault(ALONE, []).append(_run(one, turn, ALONE, steps)[0])
                for way in (SILENT, *WAYS):
                    seconds.setdefault(way, []).append(max(_run(two, turn, way, steps)))
            times = {way: {"minimum": min(x), "median": statistics.median(x)} for way, x in seconds.items()}
            about |= {"steps": steps, "rounds": arguments.rounds, "state_bytes": [x["state_bytes"] for x in shares]}
            found[workload] = {**about, "communicator": arguments.communicator, "seconds": times}
    page = markdown(found)
    print(page)
    if set(found) == set(WORKLOADS):
        store(PAGE, RESULTS, found)
        (RESULTS / f"{PAGE}.md").write_text(page)
    return int(any(speedup(row, "plain", "median") < GOAL for row in found.values()))


def _run(pool: RankPool, function: Any, *args: Any) -> list[Any]:
    found = pool.run(function, *args)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return found


def prepare(workload: str, name: str, ways: Sequence[str]) -> dict[str, Any]:
    """On a rank: make a model and an optimizer for each way, and make some unmeasured steps."""
    global _communicator
    if _communicator is None:
        _communicator = create_communicator(name)
    state = {}
    for way in ways:
        program, times, _ = WORKLOADS[workload]
        training = with_renga.PROGRAMS[""][program]()
        batch = [np.concatenate([array] * times) for array in training.batch]
        optimizer: Any = MomentumSGD(lr=1e-4)
        if way in WAYS:
            optimizer = create_multi_node_optimizer(optimizer, _communicator, **WAYS[way])
        optimizer.setup(training.model)
        _steps[way] = (optimizer, training.model, batch)
        turn(way, WARM_UP)
        rules = [param.update_rule for param in training.model.params()]
        state[way] = sum(array.nbytes for rule in rules for array in rule.state.values())
    return {
        "examples": len(batch[0]),
        "gradient_bytes": sum(param.array.nbytes for param in training.model.params()),
        "state_bytes": state,
    }


def turn(way: str, steps: int) -> float:
    """On a rank: seconds per step, with a common start of all ranks."""
    optimizer, model, batch = _steps[way]
    _communicator.barrier()
    began = time.perf_counter()
    for _ in range(steps):
        optimizer.update(model, *batch)
    return (time.perf_counter() - began) / steps


def speedup(row: Mapping[str, Any], way: str, of: str) -> float:
    """Examples per second of two ranks, divided by examples per second of one rank."""
    seconds = row["seconds"]
    return float(2 * seconds[ALONE][of] / seconds[way][of])


def markdown(found: Mapping[str, Mapping[str, Any]]) -> str:
    """The page: a table for each workload."""
    lines = [
        "# distributed",
        "",
        f"Measured by `python -m benchmarks distributed`, {machine()}: two ranks, one thread",
        "each, beside one rank with one thread, in turns. Batches of one size for each rank (weak scaling): 2 would be",
        "perfect. Times are those of a step on the slower rank, median of the rounds and (in brackets) minimum;",
        "throughput is divided by that of one rank, median by median, minimum by minimum.",
        f"“{SILENT.capitalize()}” train independently at the same time: the difference from 2 there",
        "is lost by the machine, not by communication. So the last column shows the effect of communication:",
        "throughput divided by",
        "theirs. Momentum SGD; the table lists the size of its state on a rank.",
    ]
    for workload, row in found.items():
        size, examples, rounds = row["gradient_bytes"] / 1e6, row["examples"], row["rounds"]
        lines += [
            "",
            f"## {WORKLOADS[workload][2]}: {examples} examples a rank, {size:.1f} MB of gradients",
            "",
            f"`{row['communicator']}`; {rounds} rounds, {row['steps']} steps a turn.",
            "",
            "| | ms a step | throughput, to one rank | state on ranks, MB | to ranks that do not talk |",
            "|---|---:|---:|---:|---:|",
        ]
        for way, seconds in row["seconds"].items():
            times = f"{seconds['median'] * 1e3:.2f} ({seconds['minimum'] * 1e3:.2f})"
            ratios = "" if way == ALONE else f"{speedup(row, way, 'median'):.2f} ({speedup(row, way, 'minimum'):.2f})"
            state = ", ".join(f"{of_rank[way] / 1e6:.2f}" for of_rank in row["state_bytes"] if way in of_rank)
            left = f"{row['seconds'][SILENT]['median'] / seconds['median']:.0%}" if way in WAYS else ""
            lines.append(f"| {way} | {times} | {ratios} | {state} | {left} |")
    return "\n".join(lines) + "\n"
