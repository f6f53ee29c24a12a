"""`python -m benchmarks [WORKLOAD …] [--against LIBRARY,…]`: compares Renga with other libraries.

A WORKLOAD is a name such as mlp, or a group: training, plain, overhead, convolution, vision, inference, language,
    import.
Further commands have their own options: `python -m benchmarks agreement`, `allreduce`, `compat`, `damage`, `data`,
`distributed`, `failures`, `gpu`, `recovery`, `scale-model`, `seeds`, `slow-network`, `survival`, `together`, `without`;
and `python -m benchmarks.environments`.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.contestants import CONTESTANTS
from benchmarks.environments import INSTALL, interpreter, parse_interpreters
from benchmarks.page import markdown, short
from benchmarks.picture import draw
from benchmarks.race import race, race_imports
from benchmarks.records import RESULTS, load, record, store
from benchmarks.workloads import GROUPS, IMPORT, WORKLOADS, named

OURS = "renga"
COMMANDS = {
    "agreement": "benchmarks.agreement",
    "allreduce": "benchmarks.allreduce",
    "compat": "benchmarks.compat.command",
    "damage": "benchmarks.damage.command",
    "data": "benchmarks.data.command",
    "distributed": "benchmarks.distributed",
    "failures": "benchmarks.failures",
    "gpu": "benchmarks.gpu.command",
    "recovery": "benchmarks.recovery.command",
    "scale-model": "benchmarks.scale_model",
    "seeds": "benchmarks.seeds",
    "slow-network": "benchmarks.slow_network.command",
    "survival": "benchmarks.survival.command",
    "together": "benchmarks.together",
    "without": "benchmarks.without",
}
"""Further commands, and the modules with their `main`."""


def main(argv: list[str]) -> int:
    """Measure; return 1 if a library failed, or its results differ from Renga's."""
    if argv and argv[0] in COMMANDS:
        status: int = import_module(COMMANDS[argv[0]]).main(argv[1:])
        return status
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"default: {' '.join(GROUPS)}")
    peers = [name for name in CONTESTANTS if name != OURS]
    parser.add_argument("--against", default=",".join(peers), help="separated by commas; default: %(default)s")
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="LIBRARY=INTERPRETER",
        help="the Python interpreter of a library, if not that of `python -m benchmarks.environments`",
    )
    parser.add_argument("--rounds", type=int, default=10, help="number of turns of each library")
    parser.add_argument("--seconds", type=float, default=0.3, help="duration of a turn; at least one step")
    parser.add_argument("--threads", type=int, default=2, help="of each library")
    parser.add_argument(
        "--results", type=Path, help="folder for tables and pictures; default: benchmarks/results, if all libraries run"
    )
    arguments = parser.parse_args(argv)
    against = [name for name in arguments.against.split(",") if name]
    for name in against:
        if name not in peers:
            parser.error(f"unknown library {name!r}; there are {', '.join(peers)}")
    workloads = []
    for name in arguments.workloads or GROUPS:
        found = named(name)
        if not found:
            parser.error(f"no workload {name!r}; there are the groups {', '.join(GROUPS)}, and {', '.join(WORKLOADS)}")
        workloads += found

    try:
        chosen = parse_interpreters(",".join(arguments.python))
        pythons = {name: interpreter(CONTESTANTS[name].library, chosen) for name in (OURS, *against)}
    except (ValueError, FileNotFoundError) as error:
        parser.error(str(error))
    takes_part = {name: (CONTESTANTS[name], python) for name, python in pythons.items() if python is not None}
    for library in dict.fromkeys(CONTESTANTS[name].library for name in pythons if name not in takes_part):
        how = f": python -m benchmarks.environments {library}" if library in INSTALL else ""
        print(f"{library} is not installed, so it is skipped{how}", file=sys.stderr)
    folder = arguments.results
    if folder is None and set(takes_part) == set(CONTESTANTS):
        folder = RESULTS

    failed = False
    measured: dict[str, dict[str, dict[str, Any]]] = {}
    for workload in workloads:
        if workload is IMPORT:
            entries = race_imports(takes_part, rounds=arguments.rounds, threads=arguments.threads)
        else:
            entries = race(
                workload,
                takes_part,
                rounds=arguments.rounds,
                seconds=arguments.seconds,
                threads=arguments.threads,
            )
        numbers = record(entries, arguments.threads)
        measured.setdefault(workload.group, {})[workload.name] = numbers
        print(short(workload.name, numbers), flush=True)
        for name, entry in entries.items():
            if entry.problem:
                failed = True
                print(f"WRONG: {workload.name} with {name}: {entry.problem}", file=sys.stderr)
        if folder is not None:
            known = load(workload.group, folder) | measured[workload.group]
            store(workload.group, folder, known)
            (folder / f"{workload.group}.md").write_text(markdown(workload.group, known))
            draw(workload.group, known, folder / f"{workload.group}.png")
    print("not written (use --results FOLDER): not all libraries ran" if folder is None else f"written to {folder}")
    return int(failed)


sys.exit(main(sys.argv[1:]))
