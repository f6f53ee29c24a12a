"""`python -m benchmarks compat [PROGRAM …]`: runs `tests/chainer/programs` on Chainer 7.8.1 and on Renga.

Programs in `tests/chainer/command_lines` run with the command lines in their docstrings, which have the options of
published programs; those in `tests/chainer/programs_of_ranks` run on two ranks, with ChainerMN and with Renga.

Outputs are compared line by line, numbers up to rounding. Then each library reads the snapshots of both, and continues
training. With --record, Chainer's outputs and files are stored in `tests/chainer/expected`; the tests compare Renga
with these, and do not need Chainer.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.compat.command_lines import run_command_lines
from benchmarks.compat.comparison import RELATIVE, SMALL, Comparison, compare
from benchmarks.compat.ranks import Ranks
from benchmarks.compat.stage import Performance, Stage
from benchmarks.environments import ROOT, interpreter, parse_interpreters
from benchmarks.records import RESULTS

__all__ = ["EXPECTED", "OF_RANKS", "PROGRAMS", "SNAPSHOTS", "WITH_OPTIONS", "Row", "main", "markdown", "programs"]

PROGRAMS = ROOT / "tests" / "chainer" / "programs"
WITH_OPTIONS = ROOT / "tests" / "chainer" / "command_lines"
OF_RANKS = ROOT / "tests" / "chainer" / "programs_of_ranks"
EXPECTED = ROOT / "tests" / "chainer" / "expected"
SNAPSHOTS = Path(__file__).parent / "snapshots.py"
FILES = ("model.npz", "optimizer.npz", "trainer.npz")
LIBRARIES = ("chainer", "renga")


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    name: str
    shows: str
    comparison: Comparison
    problem: str
    """Error that ended the program with Renga too early; empty otherwise."""


def programs() -> dict[str, Path]:
    """All programs by name."""
    paths = [path for folder in (PROGRAMS, WITH_OPTIONS, OF_RANKS) for path in sorted(folder.glob("*.py"))]
    return {path.stem: path for path in paths if path.stem != "conftest"}  # pytest's file


def markdown(rows: Sequence[Row], ways: Mapping[str, Comparison]) -> str:
    """The page."""
    lines = ["| program | shows | lines equal | largest difference | |", "|---|---|---:|---:|---|"]
    for row in rows:
        verdict = "same" if row.comparison.same else "**differs**"
        lines.append(f"| `{row.name}` | {row.shows} | {_counts(row.comparison)} | {verdict} |")
    travel = ["| written by, read by | lines equal | largest difference | |", "|---|---:|---:|---|"]
    for way, comparison in ways.items():
        verdict = "same" if comparison.same else "**differs**"
        travel.append(f"| {way} | {_counts(comparison)} | {verdict} |")
    table, snapshots = "\n".join(lines), "\n".join(travel)
    same = sum(row.comparison.same for row in rows)
    return f"""# Chainer's programs

Measured by `python -m benchmarks compat`: the programs in `tests/chainer/programs`, unmodified, on Chainer 7.8.1
(Python 3.11, NumPy 1.23.5) and on Renga under `renga run-chainer`; those in `tests/chainer/command_lines` by the
command lines in their docstrings; those in `tests/chainer/programs_of_ranks` by two ranks, on its ChainerMN and on
Renga. {same} of {len(rows)} give the same results. Outputs are compared line by line: words must be equal, numbers may
have a relative difference of {RELATIVE:g} (numbers below {SMALL:g} in size: an absolute difference of
{RELATIVE * SMALL:g}). That is the rounding of float32 after some tens of steps.

{table}

Snapshots: a model, an optimizer and a trainer are saved after six steps, loaded, and trained for six more. The output
is compared with that of Chainer after loading its own snapshot.

{snapshots}
"""


def _counts(comparison: Comparison) -> str:
    return f"{comparison.equal} of {comparison.lines} | {comparison.largest:.0e}"


def main(argv: Sequence[str]) -> int:
    """Run; return 1 if a result differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compat", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="default: all, and snapshots, and the page")
    parser.add_argument(
        "--python", action="append", default=[], metavar="chainer=INTERPRETER", help="Python interpreter with Chainer"
    )
    parser.add_argument("--record", action="store_true", help="store Chainer's outputs for the tests")
    arguments = parser.parse_args(argv)
    there = programs()
    for name in arguments.programs:
        if name not in there:
            parser.error(f"no program {name!r}; there are {', '.join(there)}")
    try:
        python = interpreter("chainer", parse_interpreters(",".join(arguments.python)))
    except (ValueError, FileNotFoundError) as error:
        parser.error(str(error))
    if python is None:
        parser.error("Chainer is not installed: python -m benchmarks.environments chainer")

    whole = not arguments.programs
    rows = []
    ways: dict[str, Comparison] = {}
    with Stage("chainer", python) as chainer, Stage("renga", sys.executable) as renga:
        for name in arguments.programs or there:
            if there[name].parent == OF_RANKS:
                expected, found = (
                    Ranks(stage.library, stage.python).perform(there[name]) for stage in (chainer, renga)
                )
            elif there[name].parent == WITH_OPTIONS:
                expected, found = (run_command_lines(stage, there[name]) for stage in (chainer, renga))
            else:
                expected, found = (stage.run(there[name]) for stage in (chainer, renga))
            if expected.status:
                print(f"{name} fails with Chainer:\n{expected.errors}", file=sys.stderr)
                return 1
            if arguments.record:
                (EXPECTED / f"{name}.txt").write_text(expected.output)
            rows.append(_row(name, there[name], expected, found))
            _say(name, rows[-1].comparison, rows[-1].problem)
        if whole:
            ways = _travel({"chainer": chainer, "renga": renga}, arguments.record)
    if whole:
        (RESULTS / "compat.md").write_text(markdown(rows, ways))
    return int(not all(c.same for c in (*(row.comparison for row in rows), *ways.values())))


def _row(name: str, path: Path, expected: Performance, found: Performance) -> Row:
    shows = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\n")[0]
    problem = ""
    if found.status:
        problem = (found.errors.strip().splitlines() or [f"status {found.status}"])[-1]
    return Row(name, " ".join(shows.split()).removesuffix("."), compare(expected.output, found.output), problem)


def _travel(stages: Mapping[str, Stage], record: bool) -> dict[str, Comparison]:
    """Let each library read the files of both."""
    with tempfile.TemporaryDirectory() as scratch:
        written = {library: Path(scratch) / library for library in LIBRARIES}
        wrote = {name: stages[name].run(SNAPSHOTS, ["write", str(written[name])]) for name in LIBRARIES}
        read = {
            (writer, reader): stages[reader].run(SNAPSHOTS, ["read", str(written[writer])])
            for writer in LIBRARIES
            for reader in LIBRARIES
        }
        expected = read["chainer", "chainer"]
        if record:
            folder = EXPECTED / "snapshots"
            folder.mkdir(parents=True, exist_ok=True)
            for file in FILES:
                (folder / file).write_bytes((written["chainer"] / file).read_bytes())
            (folder / "write.txt").write_text(wrote["chainer"].output)
            (folder / "read.txt").write_text(expected.output)
    ways = {"keys, dtypes and shapes in the files": compare(wrote["chainer"].output, wrote["renga"].output)}
    _say("writing", ways["keys, dtypes and shapes in the files"], wrote["renga"].errors[-300:])
    for (writer, reader), performance in read.items():
        if (writer, reader) != ("chainer", "chainer"):
            way = f"{writer.capitalize()}, {reader.capitalize()}"
            ways[way] = compare(expected.output, performance.output)
            _say(way, ways[way], performance.errors[-300:])
    return ways


def _say(name: str, comparison: Comparison, problem: str) -> None:
    print(f"{name}: {comparison.equal} of {comparison.lines} lines equal, {comparison.largest:.0e}", flush=True)
    if comparison.first is not None:
        print("  Chainer: {}\n  Renga:   {}".format(*comparison.first))
        if problem:
            print(f"  {problem.strip()}")
