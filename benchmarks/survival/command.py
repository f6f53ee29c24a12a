"""`python -m benchmarks survival [--jobs N] [--first NUMBER] [--respawn yes|no] [--keep FOLDER]`: random kills.

Jobs of 2 to 4 ranks and 0 to 2 spares run 100 to 600 short iterations with communicator `resilient`; half of them have
1 to 3 dormant processes (`--respawn`), and in half of these the others wait for them (`--wait`). In each job, one to
three processes are killed: any rank, including the first, spares and dormant ones; two at once; or one during the
recovery from another. A job is right if it ends by itself with status 0, has done each iteration once with the same
result as an undisturbed run (with the same numbers of ranks), and has left no process and no file.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.survival.job import run
from benchmarks.survival.schedule import draw

__all__ = ["main"]


def main(argv: Sequence[str]) -> int:
    """Run the jobs; 1 if one of them was not right."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks survival", description=__doc__)
    parser.add_argument("--jobs", type=int, default=50, help="number of jobs (default: 50)")
    parser.add_argument(
        "--first", type=int, default=0, metavar="NUMBER", help="number of the first job, which determines the kills"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="folder for the output of failed jobs")
    parser.add_argument(
        "--respawn", choices=("yes", "no"), help="only jobs with, or without, processes that replace dead ones"
    )
    arguments = parser.parse_args(argv)
    respawn = None if arguments.respawn is None else arguments.respawn == "yes"
    wrong, kept, lost = 0, 0, []
    for number in range(arguments.first, arguments.first + arguments.jobs):
        schedule = draw(number, respawn)
        with tempfile.TemporaryDirectory(prefix="survival-") as folder:
            outcome = run(schedule, Path(folder))
            if outcome.wrong and arguments.keep:
                shutil.copytree(folder, arguments.keep / str(number), dirs_exist_ok=True)
        lost += outcome.lost
        kept += outcome.kept
        wrong += bool(outcome.wrong)
        crashed = f"{outcome.crashed} crashed, " if outcome.crashed else ""
        more = f", {schedule.respawn} dormant{' (waits)' if schedule.waits else ''}" if schedule.respawn else ""
        kills = ", ".join(f"{kill.moment} {kill.amount:.3f}" for kill in schedule.kills)
        told = "; ".join(outcome.wrong) or "right"
        print(
            f"{number}: {schedule.ranks} ranks, {schedule.spares} spares{more}, kills: {kills}: "
            f"{outcome.seconds:.1f} s, {outcome.exiting:.1f} s to exit, {crashed}"
            f"lost {', '.join(f'{one * 1000:.0f}' for one in outcome.lost) or '-'} ms: {told}",
            flush=True,
        )
    print(f"{arguments.jobs} jobs, {wrong} wrong; {kept} kept their size; {len(lost)} recoveries", end="")
    if lost:
        print(f": median loss {statistics.median(lost):.3f} s, largest {max(lost):.3f} s", end="")
    print()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
