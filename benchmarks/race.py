"""Runs the libraries in turns, each in its own process, so that other load on the machine affects all of them.

`Process` is one library with one workload, `race` lets several of them do the same workload.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.contestants import Contestant
from benchmarks.environments import ROOT, process_environment
from benchmarks.workloads import Workload

__all__ = ["Entry", "Failed", "Process", "compared", "race", "race_imports"]

LOSSES = 3
"""Number of first results that are compared."""
PAUSE = 0.03
"""Seconds between turns, so that threads of the previous library stop waiting for more work."""


class Failed(Exception):
    """A library's process failed to answer a request."""


@dataclass
class Entry:
    """Measurements of one contestant.

    Attributes:
        seconds: Times of a step.
        losses: The first results.
        imported, built, peak: Peak resident bytes after importing, after building, and at the end.
        versions: Versions of Python, NumPy and the library.
        problem: Description of a problem (then there are no times), or "".
    """

    seconds: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    imported: int = 0
    built: int = 0
    peak: int = 0
    versions: dict[str, str] = field(default_factory=dict)
    problem: str = ""

    def record(self) -> dict[str, Any]:
        """Convert to the form for files: minimum and median instead of all times."""
        there = asdict(self)
        seconds = there.pop("seconds")
        times = {"minimum": min(seconds), "median": statistics.median(seconds)} if seconds else {}
        return {**times, **there}


class Process:
    """threads: Number of threads; None uses the library's default.

    Args:
        contestant: The library and its variant.
        workload: Name of the workload.
        python: Interpreter that has the library.
        threads: Number of threads; None: the library's default.
    """

    def __init__(self, contestant: Contestant, workload: str, python: str, threads: int | None) -> None:
        self.name = contestant.name
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.worker", contestant.library, contestant.variant, workload],
            cwd=ROOT,
            env=process_environment(python, threads, contestant.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, do: str, **arguments: Any) -> Any:
        """Call a method of `benchmarks.worker.Worker`, and wait for its result.

        Raises:
            Failed: It raised, or the process has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(json.dumps({"do": do, **arguments}), file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Failed(f"{self.name}: its process ended with status {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(f"{self.name}: {answer['error']}")
        return answer["result"]

    def processor_seconds(self) -> float:
        """Processor time so far of all its threads (on Linux)."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def race(
    workload: Workload,
    contestants: Mapping[str, tuple[Contestant, str]],
    *,
    rounds: int = 10,
    seconds: float = 0.3,
    threads: int = 2,
) -> dict[str, Entry]:
    """Let the contestants do a workload, in turns.

    Args:
        workload: The workload.
        contestants: Contestants by name, with their interpreters; results are compared with the first one's.
        rounds: Number of turns of each contestant.
        seconds: Duration of a turn, unless a step takes longer.
        threads: For each.

    Returns:
        Entries by name, without contestants that lack the workload.
    """
    entries: dict[str, Entry] = {}
    running: dict[str, Process] = {}
    try:
        for name, (contestant, python) in contestants.items():
            process = Process(contestant, workload.name, python, threads)
            entry = Entry()
            try:
                start = process.ask("start")
                if not start["there"]:
                    process.close()
                    continue
                entry.versions, entry.imported = start["versions"], start["memory"]
                entry.built = process.ask("build")
                entry.losses = process.ask("losses", count=LOSSES)
            except Failed as error:
                entry.problem = str(error)
            entries[name] = entry
            running[name] = process
            expected = next(iter(entries.values())).losses
            entry.problem = entry.problem or compared(
                entry.losses, expected, max(workload.tolerance, contestant.tolerance)
            )
        able = [name for name in running if not entries[name].problem]
        for round_ in range(rounds):
            for name in _rotated(able, round_):
                if entries[name].problem:
                    continue
                time.sleep(PAUSE)
                try:
                    entries[name].seconds += running[name].ask("run", seconds=seconds)
                except Failed as error:
                    entries[name].problem, entries[name].seconds = str(error), []
        for name in able:
            if not entries[name].problem:
                entries[name].peak = running[name].ask("memory")
    finally:
        for process in running.values():
            process.close()
    return entries


def compared(losses: Sequence[float], expected: Sequence[float], tolerance: float) -> str:
    """Description of a difference in a library's first results; "" if there is none."""
    wrong = len(losses) != len(expected) or not all(
        math.isclose(a, b, rel_tol=tolerance) for a, b in zip(losses, expected, strict=True)
    )
    if not wrong:
        return ""
    return f"results {_listed(losses)} instead of {_listed(expected)} (tolerance {tolerance:g})"


def race_imports(contestants: Mapping[str, tuple[Contestant, str]], *, rounds: int, threads: int) -> dict[str, Entry]:
    """Import each library in fresh processes, in turns; those without `imports` are skipped."""
    entries = {name: Entry() for name, (contestant, _) in contestants.items() if contestant.imports}
    for round_ in range(-1, rounds):  # the first one writes bytecode
        for name in _rotated(list(entries), round_):
            contestant, python = contestants[name]
            code = (
                "import json, time; start = time.perf_counter()\n"
                f"{contestant.imports}\n"
                "seconds = time.perf_counter() - start\n"
                "from benchmarks.worker import peak_memory, versions\n"
                f"print(json.dumps([seconds, peak_memory(), versions({contestant.library!r})]))"
            )
            done = subprocess.run(
                [python, "-c", code],
                cwd=ROOT,
                env=process_environment(python, threads, contestant.environment),
                capture_output=True,
                text=True,
                check=True,
            )
            seconds, entries[name].peak, entries[name].versions = json.loads(done.stdout)
            if round_ >= 0:
                entries[name].seconds.append(seconds)
    return entries


def _rotated(names: list[str], by: int) -> list[str]:
    """Rotate the names in each round, so that no contestant always runs after the same other one."""
    by %= max(1, len(names))
    return names[by:] + names[:by]


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.6g}" for number in numbers) or "none"
