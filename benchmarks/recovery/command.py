"""`python -m benchmarks recovery [WAY …] [--jobs N] [--kills N] [--sizes MB …]`: seconds lost when a process dies.

Jobs of three ranks train a network by Adam: one with 1.8 million parameters, or, with --sizes, several networks, whose
parameters and means of Adam have the given sizes in megabytes. In each job, ranks are killed (SIGKILL) one after the
other; ranks and moments depend on the number of the job, and are the same for every way. Ways take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.environments import INSTALL, ROOT, interpreter, parse_interpreters, process_environment
from benchmarks.records import RESULTS, load, machine, store
from benchmarks.recovery import sizes
from benchmarks.recovery.job import kill_and_measure
from benchmarks.recovery.ways import RANKS, WAYS

__all__ = ["PAGE", "main", "markdown"]

PAGE = "recovery"


def main(argv: Sequence[str]) -> int:
    """Measure; 1 if Renga did not recover from a death."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks recovery", description=__doc__)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=f"default: all of {', '.join(WAYS)}")
    parser.add_argument("--jobs", type=int, default=3, help="jobs of each way (default: 3)")
    parser.add_argument("--kills", type=int, default=3, help="deaths in each job (default: 3; 1 where ranks get fewer)")
    parser.add_argument(
        "--sizes", type=float, nargs="+", metavar="MB", help="sizes of states in megabytes, one after another"
    )
    parser.add_argument("--python", action="append", default=[], metavar="LIBRARY=INTERPRETER")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the page")
    arguments = parser.parse_args(argv)
    chosen = arguments.ways or list(WAYS)
    for name in chosen:
        if name not in WAYS:
            parser.error(f"no way {name!r}; there are {', '.join(WAYS)}")
    pythons = {}
    for name in chosen:
        library = WAYS[name].library
        python = interpreter(library, parse_interpreters(",".join(arguments.python)))
        if python is None:
            how = f": python -m benchmarks.environments {library}" if library in INSTALL else ""
            print(f"{library} is not installed and left out{how}", file=sys.stderr)
        else:
            pythons[name] = python
    if arguments.sizes:
        return _measure_sizes(arguments, pythons)
    found: dict[str, Any] = load(PAGE, arguments.results) | {name: [] for name in pythons}
    for job in range(arguments.jobs):
        for name, python in pythons.items():
            found[name] += _job(name, python, 1 if name == "renga-shrink" else arguments.kills, seed=job)
            print(f"{name}, job {job + 1} of {arguments.jobs}: {_lost(found[name])}", file=sys.stderr, flush=True)
    page = markdown(found)
    print(page)
    store(PAGE, arguments.results, found)
    (arguments.results / f"{PAGE}.md").write_text(page)
    ours = [kill for name in pythons if name.startswith("renga") for kill in found[name]]
    return int(any(kill["seconds"] is None for kill in ours))


def _measure_sizes(arguments: argparse.Namespace, pythons: Mapping[str, str]) -> int:
    known: dict[str, Any] = load(sizes.PAGE, arguments.results) or {"loads": {}, "kills": {}}
    found, loads = known["kills"], known["loads"]
    for size in map("{:g}".format, arguments.sizes):
        loads[size] = []
        for name in pythons:
            found.setdefault(name, {})[size] = []
        for job in range(arguments.jobs):
            for name, python in pythons.items():
                kills = found[name][size]
                kills += _job(name, python, 1 if name == "renga-shrink" else arguments.kills, job, size)
                loads[size].append(os.getloadavg()[0])
                print(f"{size} MB, {name}, job {job + 1} of {arguments.jobs}: {kills}", file=sys.stderr, flush=True)
        page = sizes.markdown(found, machine(), statistics.mean(each for of_size in loads.values() for each in of_size))
        store(sizes.PAGE, arguments.results, known)
        (arguments.results / f"{sizes.PAGE}.md").write_text(page)
        sizes.draw(found, arguments.results / f"{sizes.PAGE}.png")
    print(page)
    ours = [kill for name in pythons if name.startswith("renga") for kills in found[name].values() for kill in kills]
    return int(any(kill["seconds"] is None for kill in ours))


def _job(name: str, python: str, kills: int, seed: int, megabytes: str | None = None) -> list[dict[str, Any]]:
    way = WAYS[name]
    with tempfile.TemporaryDirectory() as folder:
        extra = {"RECOVERY_FOLDER": folder, "RECOVERY_RANKS": str(RANKS), **way.environment}
        if megabytes is not None:
            extra["RECOVERY_MEGABYTES"] = megabytes
        environment = process_environment(python, 1, extra) | {"PYTHONPATH": str(ROOT)}
        patience = 60.0 + 2.0 * float(megabytes or 0.0)
        done = kill_and_measure(way.command(python, kills), environment, Path(folder), RANKS, kills, seed, patience)
    return [asdict(kill) for kill in done]


def _lost(kills: Sequence[Mapping[str, Any]]) -> str:
    """Median, smallest and largest seconds over all kills."""
    seconds = [kill["seconds"] for kill in kills if kill["seconds"] is not None]
    if not seconds:
        return "never went on"
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


def markdown(found: Mapping[str, Any]) -> str:
    """The page."""
    lines = [
        "# Seconds lost when a process dies",
        "",
        f"{machine()}. `python -m benchmarks recovery`: three ranks, each with one thread, train 784-1000-1000-10",
        "by Adam on batches of 32. One of them is killed (SIGKILL), then another. Seconds: from a kill to the end of",
        "the first iteration that started after it. Repeated: iterations that were computed a second time.",
        "",
        "| | kills | went on | median s | smallest | largest | repeated, median |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, way in WAYS.items():
        kills = found.get(name, [])
        seconds = sorted(kill["seconds"] for kill in kills if kill["seconds"] is not None)
        if seconds:
            repeated = statistics.median(kill["repeated"] for kill in kills)
            lines.append(
                f"| {way.title} | {len(kills)} | {len(seconds)} | {statistics.median(seconds):.2f} | {seconds[0]:.2f} "
                f"| {seconds[-1]:.2f} | {repeated:g} |"
            )
        elif kills:
            lines.append(f"| {way.title} | {len(kills)} | 0 | | | | |")
    return "\n".join([*lines, ""])
