"""Run simulated schedules of failures: ``python -m renga_distributed.simulation SEED --mode MODE`` replays one."""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from renga_distributed.simulation.invariants import violations
from renga_distributed.simulation.modes import MODES
from renga_distributed.simulation.record import Case
from renga_distributed.simulation.training import draw, run

__all__ = ["main", "replay_command"]


def main(argv: list[str] | None = None) -> int:
    """Run the schedules that the command line selects. Returns 1 if an invariant was violated."""
    parser = argparse.ArgumentParser(prog="python -m renga_distributed.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", help="replay this seed, and print its events")
    parser.add_argument("--mode", choices=MODES, help="training mode; default: all in turn")
    parser.add_argument("--seeds", type=int, default=100, help="number of seeds to run (default: 100)")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    arguments = parser.parse_args(argv)
    modes = [arguments.mode] if arguments.mode else list(MODES)
    if arguments.seed is not None:
        return max(_tell(draw(mode, arguments.seed)) for mode in modes)
    began, failed, deaths = time.perf_counter(), 0, 0
    for seed in range(arguments.first, arguments.first + arguments.seeds):
        case = draw(modes[seed % len(modes)], seed)
        record = run(case)
        assert record.outcome is not None
        deaths += len(record.outcome.deaths)
        if found := violations(case, record):
            failed += 1
            print(f"{found[0]}\n  replay: {replay_command(case)}", flush=True)
    seconds = time.perf_counter() - began
    print(f"{arguments.seeds} schedules, {deaths} deaths, {failed} with a violation, {seconds:.0f} s")
    return int(failed > 0)


def replay_command(case: Case) -> str:
    """The command that runs a drawn case again."""
    return f"python -m renga_distributed.simulation {case.seed} --mode {case.mode}"


def _tell(case: Case) -> int:
    print(case)
    record = run(case)
    assert record.outcome is not None
    for death in record.outcome.deaths:
        print(f"died: {death}")
    for event in record.events:
        print(event)
    print(f"sizes of the group by iteration: {dict(sorted(record.sizes.items()))}")
    found = violations(case, record)
    for violation in found:
        print(f"violation: {violation}")
    if found:
        for number, error in record.outcome.errors.items():
            print(f"process {number}:", "".join(traceback.format_exception(error)), sep="\n")
    else:
        print("no violation")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
