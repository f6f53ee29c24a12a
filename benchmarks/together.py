"""`python -m benchmarks together`: one, two and four programs that train at the same time on one machine.

The number of threads of the programs is not set. If n programs share the cores, a step should take n times as long;
additional time is lost to threads that wait for each other.
"""

from __future__ import annotations

import argparse
import datetime
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from benchmarks.contestants import CONTESTANTS, Contestant
from benchmarks.environments import interpreter
from benchmarks.race import Process
from benchmarks.records import RESULTS, machine

__all__ = ["main"]

PROGRAMS = (1, 2, 4)
_HEAD = """\
# together

Measured by `python -m benchmarks together`, {date}, on {machine}, load {load:.1f} (other programs included).

Several programs train at once. Milliseconds per step: the mean over all steps in {seconds:g} s, minimum of {rounds}
rounds; in brackets, divided by n times the step of one program (1 is ideal). Processor: processor time per step in
milliseconds; time beyond that with one program is lost to spinning threads. `fixed` is Renga with a constant number of
threads, one per core (`RENGA_THREADS`).

| | one program | two | four | processor: one | two | four |
|---|---:|---:|---:|---:|---:|---:|"""


def main(argv: list[str]) -> int:
    """Measure, print the table, and write it."""
    parser = argparse.ArgumentParser("python -m benchmarks together", description=__doc__.partition("\n")[0])
    parser.add_argument("workloads", nargs="*", default=["lenet", "vgg"], help="default: lenet vgg")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=4.0, help="seconds of each measurement; default: %(default)s")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the table; default: %(default)s")
    arguments = parser.parse_args(argv)
    fixed = {"RENGA_THREADS": str(os.cpu_count())}
    renga = CONTESTANTS["renga"]
    ways = {
        "renga": renga,
        "renga, fixed": replace(renga, environment={**renga.environment, **fixed}),
        "torch": CONTESTANTS["torch"],
    }
    lines = [
        _HEAD.format(
            date=datetime.date.today().isoformat(), machine=machine(), load=os.getloadavg()[0], **vars(arguments)
        )
    ]
    for workload in arguments.workloads:
        found: dict[str, dict[int, tuple[float, float]]] = {name: {} for name in ways}
        for _ in range(arguments.rounds):
            for number in PROGRAMS:
                for name, contestant in ways.items():
                    took = _milliseconds(contestant, workload, number, arguments.seconds)
                    before = found[name].get(number, took)
                    found[name][number] = min(took[0], before[0]), min(took[1], before[1])
        lines += [_row(f"{workload}, {name}", [found[name][number] for number in PROGRAMS]) for name in ways]
    page = "\n".join(lines) + "\n"
    print(page)
    (arguments.results / "together.md").write_text(page)
    return 0


def _milliseconds(contestant: Contestant, workload: str, number: int, seconds: float) -> tuple[float, float]:
    """Mean time and processor time per step of several programs that run at once."""
    python = interpreter(contestant.library, {})
    if python is None:
        raise SystemExit(f"{contestant.library} is not installed. Next: python -m benchmarks.environments torch")
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(number))
        processes = [stack.enter_context(closing(Process(contestant, workload, python, None))) for _ in range(number)]
        for do in ("start", "build"):
            list(pool.map(lambda process, do=do: process.ask(do), processes))
        list(pool.map(lambda process: process.ask("run", seconds=1.0), processes))  # everything is created and running
        times, processor_times = zip(*pool.map(lambda process: _steps(process, seconds), processes), strict=True)
        return fmean(times), fmean(processor_times)


def _steps(process: Process, seconds: float) -> tuple[float, float]:
    before = process.processor_seconds()
    begin = time.perf_counter()
    mean = fmean(process.ask("run", seconds=seconds))
    took, busy = time.perf_counter() - begin, process.processor_seconds() - before
    return 1000 * mean, 1000 * mean * busy / took


def _row(name: str, taken: Sequence[tuple[float, float]]) -> str:
    steps = [step for step, _ in taken]
    cells = [
        f"{step:.1f}" + (f" ({step / steps[0] / number:.2f})" if number > 1 else "")
        for number, step in zip(PROGRAMS, steps, strict=True)
    ]
    return f"| {name} | {' | '.join([*cells, *(f'{busy:.1f}' for _, busy in taken)])} |"
