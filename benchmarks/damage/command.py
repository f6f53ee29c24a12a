"""`python -m benchmarks damage [--kills N] [--every N]`: kills runs while they save, and damages files.

Runs save after each iteration, keep two files, and are killed (SIGKILL) at a random moment. The state loaded then must
be one that was written, and at least as new as the last completed save. Files in each format are damaged in many ways.
A damaged file must be refused without changes, or give the saved state; a run must continue from the previous snapshot.
"""

from __future__ import annotations

import argparse
import datetime
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.damage.files import Files, damage_files
from benchmarks.damage.kills import Kills, kill_again_and_again
from benchmarks.damage.subject import FORMATS, writers
from benchmarks.records import RESULTS, machine

__all__ = ["main", "markdown"]

PAGE = "damage"
ENOUGH = 2000
SERIES = 4
"""Yield one folder per writer, with states of different sizes."""


def main(argv: list[str]) -> int:
    """Run the command; return 1 if a state was wrong or lost, or a file was refused without need."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks damage", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=ENOUGH, help="total number of kills (default: %(default)s)")
    parser.add_argument("--every", type=int, default=1, help="use every N-th damaged file (default: all)")
    parser.add_argument(
        "--results", type=Path, help=f"folder for the table; default: benchmarks/results, from {ENOUGH} kills on"
    )
    arguments = parser.parse_args(argv)
    folder = arguments.results or (RESULTS if arguments.kills >= ENOUGH and arguments.every == 1 else None)
    kills: dict[str, Kills] = {}
    for name, writer in writers().items():
        kills[name] = total = Kills()
        for seed in range(SERIES):
            with tempfile.TemporaryDirectory() as out:
                times = -(-arguments.kills // (SERIES * len(writers())))
                one = kill_again_and_again(Path(out), writer, times, seed)
            for key, count in asdict(one).items():
                setattr(total, key, getattr(total, key) + count)
        print(_row(name, total), flush=True)
    files: dict[str, dict[str, Files]] = {}
    for name in FORMATS:
        with tempfile.TemporaryDirectory() as out:
            files[name] = damage_files(Path(out), name, arguments.every)
        for title, found in files[name].items():
            print(_row(f"{name}: {title}", found), flush=True)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{PAGE}.md").write_text(markdown(kills, files))
    files_failed = any(found.failed for each in files.values() for found in each.values())
    return int(files_failed or any(found.failed for found in kills.values()))


def markdown(kills: dict[str, Kills], files: dict[str, dict[str, Files]]) -> str:
    """The page."""
    everything = [found for each in files.values() for found in each.values()]
    lines = [
        "# damage",
        "",
        f"Measured by `python -m benchmarks damage`, {datetime.date.today().isoformat()}, on {machine()}.",
        "",
        "## Killed while saving",
        "",
        f"A run saves after each iteration and keeps two files. It is killed (SIGKILL) {_sum(kills)} times in all, at",
        "random moments, and continues each time in the same folder. «In the middle»: while a file was being written.",
        "",
        _head("saved as", Kills()),
        *(_row(name, one) for name, one in kills.items()),
        "",
        "`wrong`: another state than the saved one; `lost`: an older state than the last saved one; `refused`: the",
        "run did not continue;",
        "`skipped`: a file was damaged; `left`: hidden files after the next save. All must be 0.",
        "",
        "## Damaged files",
        "",
        f"{sum(found.files for found in everything):,} files, read {sum(found.reads for found in everything):,} times:",
        "strictly, with `strict=False` if a format supports it, and as the newest snapshot of a run that continues.",
        "",
        _head("", Files()),
        *(_row(f"{name}: {title}", found) for name, each in files.items() for title, found in each.items()),
        "",
        "`wrong`: another state was loaded without an error; `half`: refused, but a part was loaded; `raised`:",
        "another exception than `FileDamaged`; `refused`: the run did not continue, although the previous snapshot was",
        "intact; `lost`: it continued, but its next save deleted that snapshot. All must be 0. `fell back`:",
        "the run continued from that one and reported it; `same`: the saved state was loaded.",
        "",
    ]
    return "\n".join(lines)


def _sum(kills: dict[str, Kills]) -> str:
    return f"{sum(one.kills for one in kills.values()):,}"


def _head(first: str, record: Any) -> str:
    names = [name.replace("_", " ") for name in asdict(record)]
    return f"| {first} | {' | '.join(names)} |\n|---|{'---:|' * len(names)}"


def _row(name: str, record: Any) -> str:
    return f"| {name} | {' | '.join(f'{count:,}' for count in asdict(record).values())} |"
