"""``python -m benchmarks distributed``: two ranks, one thread each, beside one rank with one thread.

Batches of one size for each rank (weak scaling): twice the examples a second would be perfect. In each round, one rank
trains alone, then two ranks in each way, all for the same number of steps; whoever has no turn sleeps. Two ranks that
do not talk at all show what the machine itself loses when both of its cores work.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Mapping, Sequence
from typing import Any

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
    "float16": {"dtype": "float16"},
    "float16, double buffering": {"dtype": "float16", "double_buffering": True},
}
"""By name: the dtype in which gradients travel, and arguments of `create_multi_node_optimizer`."""
TITLES = {"lenet": "LeNet, 28×28", "vgg": "VGG-small (64-128-256, BN), 32×32"}
GOAL = 1.9
WARM_UP = 3

_communicator: Any = None
_steps: dict[str, Any] = {}


def main(argv: Sequence[str]) -> int:
    """Measure; 1 if the best way of a workload is below the goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks distributed", description=__doc__)
    parser.add_argument("workloads", nargs="*", default=list(TITLES), help="default: lenet vgg")
    parser.add_argument("--communicator", default="flat", help="default: %(default)s")
    parser.add_argument("--rounds", type=int, default=9, help="how often it is each one's turn; default: %(default)s")
    parser.add_argument(
        "--seconds", type=float, default=0.25, help="how long a turn lasts, about; default: %(default)s"
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
    if set(found) == set(TITLES):
        store(PAGE, RESULTS, found)
        (RESULTS / f"{PAGE}.md").write_text(page)
    return int(any(max(speedup(row, way) for way in WAYS) < GOAL for row in found.values()))


def _run(pool: RankPool, function: Any, *args: Any) -> list[Any]:
    found = pool.run(function, *args)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return found


def prepare(workload: str, name: str, ways: Sequence[str]) -> dict[str, Any]:
    """On a rank: make a model and an optimizer for each way, and take some steps that do not count."""
    global _communicator
    if _communicator is None:
        _communicator = create_communicator(name)
    state = {}
    for way in ways:
        training = with_renga.PROGRAMS[""][workload]()
        options = dict(WAYS.get(way, {}))
        dtype = options.pop("dtype", None)
        optimizer: Any = MomentumSGD(lr=1e-4)
        if way in WAYS:
            optimizer = create_multi_node_optimizer(optimizer, _communicator, **options)
        optimizer.setup(training.model)
        _steps[way] = (dtype, optimizer, training)
        turn(way, WARM_UP)
        rules = [param.update_rule for param in training.model.params()]
        state[way] = sum(array.nbytes for rule in rules for array in rule.state.values())
    return {
        "examples": len(training.batch[0]),
        "gradient_bytes": sum(param.array.nbytes for param in training.model.params()),
        "state_bytes": state,
    }


def turn(way: str, steps: int) -> float:
    """On a rank: the seconds that a step takes, all ranks beginning together."""
    dtype, optimizer, training = _steps[way]
    _communicator.set_config("allreduce_grad_dtype", dtype)
    _communicator.barrier()
    began = time.perf_counter()
    for _ in range(steps):
        optimizer.update(training.model, *training.batch)
    return (time.perf_counter() - began) / steps


def speedup(row: Mapping[str, Any], way: str, of: str = "minimum") -> float:
    """Examples a second of two ranks, divided by those of one."""
    seconds = row["seconds"]
    return float(2 * seconds[ALONE][of] / seconds[way][of])


def markdown(found: Mapping[str, Mapping[str, Any]]) -> str:
    """The page: a table for each workload."""
    lines = [
        "# distributed",
        "",
        f"Measured by `python -m benchmarks distributed`, {machine()}: two ranks, one thread",
        "each, beside one rank with one thread, in turns. Batches of one size for each rank (weak scaling): 2 would be",
        "perfect. Times are those of a step, minimum and (in brackets) median of the rounds; throughput is divided by",
        f"that of one rank, of the same. “{SILENT.capitalize()}” train each by itself, at the same",
        "time: what is missing there to 2 the machine loses, not communication. Momentum SGD; its state on a rank is",
        "what is kept there.",
    ]
    for workload, row in found.items():
        size, examples, rounds = row["gradient_bytes"] / 1e6, row["examples"], row["rounds"]
        lines += [
            "",
            f"## {TITLES.get(workload, workload)}: {examples} examples a rank, {size:.1f} MB of gradients",
            "",
            f"`{row['communicator']}`; {rounds} rounds, {row['steps']} steps a turn.",
            "",
            "| | ms a step | throughput, to one rank | state on ranks, MB |",
            "|---|---:|---:|---:|",
        ]
        for way, seconds in row["seconds"].items():
            times = f"{seconds['minimum'] * 1e3:.2f} ({seconds['median'] * 1e3:.2f})"
            ratios = "" if way == ALONE else f"{speedup(row, way):.2f} ({speedup(row, way, 'median'):.2f})"
            state = ", ".join(f"{of_rank[way] / 1e6:.2f}" for of_rank in row["state_bytes"] if way in of_rank)
            lines.append(f"| {way} | {times} | {ratios} | {state} |")
    return "\n".join(lines) + "\n"
