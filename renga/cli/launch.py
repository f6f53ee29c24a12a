"""`renga launch -n 4 PROGRAM …`: run a program as several processes that are connected by MPI."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from renga_comm_base.threads import thread_environment
from renga_core.command_line import Parser, UsageError
from renga_core.communicator.launcher import find_launcher
from renga_core.kinds import COMMUNICATOR, LAUNCHER
from renga_core.plugin import Offer, registry
from renga_core.settings import lookup

from .program import find_program

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga launch -n RANKS [--threads N] [--hosts HOST[:RANKS],…] [--tag] [--communicator NAME]
    [--fault-tolerant [--spares K] [--respawn N [--wait]] [--min M] [--max M]] PROGRAM …``.

    Returns the exit status of the program. The first Ctrl-C asks all ranks to stop; the second kills them.
    """
    parser = Parser(
        "renga launch",
        "Run a program as several processes that are connected by MPI: FILE.py, -m MODULE, 'renga train FILE.toml', "
        "or any other command. All arguments after the program go to the program. Ctrl-C asks all ranks to stop; a "
        "second one kills them.",
    )
    parser.add_argument(
        "-n", type=int, required=True, metavar="RANKS", help="number of processes; may exceed the number of cores"
    )
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads of each process (default: OMP_NUM_THREADS if set, else cores divided by processes)",
    )
    parser.add_argument(
        "--communicator",
        metavar="NAME",
        help="start the processes with the launcher of this communicator (default: MPI)",
    )
    parser.add_argument("--hosts", metavar="HOST[:RANKS],…", help="hosts to run on (default: only this one)")
    parser.add_argument("--tag", action="store_true", help="prefix each line of output with the rank that printed it")
    parser.add_argument(
        "--fault-tolerant",
        action="store_true",
        help="let the other processes continue when one dies; needs communicator 'resilient' or 'resilient_nccl'",
    )
    parser.add_argument(
        "--spares",
        type=int,
        default=0,
        metavar="K",
        help="additional processes that wait to replace a dead process (with --fault-tolerant)",
    )
    parser.add_argument(
        "--respawn",
        type=int,
        default=0,
        metavar="N",
        help="additional processes that start the program only to replace a dead process for which no spare is "
        "left; until then the others continue with fewer processes",
    )
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait for each replacement of --respawn, so that the result is the same as without a failure",
    )
    parser.add_argument(
        "--min",
        type=int,
        metavar="M",
        help="end the job if fewer processes than this are left (with --fault-tolerant; default: 1)",
    )
    parser.add_argument(
        "--max",
        type=int,
        metavar="M",
        help="add a process, up to M in all, for each SIGUSR2 that this command receives; a process that ends on "
        "SIGTERM is not replaced (with --fault-tolerant; default: the number of processes is fixed)",
    )
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="run a Python module, with its arguments")
    parser.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="PROGRAM …", help="program to run, with its arguments"
    )
    arguments = parser.parse_all(argv)
    if arguments.n < 1:
        raise UsageError(f"argument -n: at least 1 process is needed, got {arguments.n}. See 'renga launch --help'.")
    if arguments.threads is not None and arguments.threads < 1:
        raise UsageError(
            f"argument --threads: at least 1 is needed, got {arguments.threads}. See 'renga launch --help'."
        )
    _check_fault_tolerance(arguments)
    program = arguments.program if arguments.module is None else ["-m", *arguments.module]
    if not program:
        raise UsageError("no program to run. See 'renga launch --help'.")

    found = find_program(program)
    launcher, survives = _find_launcher(arguments.communicator)
    more = {name: value for name in ("hosts", "tag") if (value := getattr(arguments, name))}
    if arguments.fault_tolerant or survives:
        more |= {"fault_tolerant": True}
    else:
        _refuse_survival(
            arguments, f", because the job ends with communicator '{arguments.communicator}' when a rank dies"
        )
    missing = sorted(more.keys() - launcher.provider.capabilities)
    if missing:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in missing)
        raise UsageError(f"{options}: launcher '{launcher.full_name}' cannot do this. See 'renga launch --help'.")
    if arguments.fault_tolerant or survives:
        more |= {"spares": arguments.spares, "least": arguments.min or 1}
        more |= {"respawn": arguments.respawn, "waits": arguments.wait}
        more |= {} if arguments.max is None else {"most": arguments.max}
    hosts = 1 if arguments.hosts is None else len(arguments.hosts.split(","))
    environment = {**os.environ, **thread_environment(-(-arguments.n // hosts), arguments.threads)}
    # Plugins disabled on the command line are disabled in the ranks too.
    environment["RENGA_PLUGINS_DISABLE"] = ",".join(lookup("plugins.disable").value)
    start = launcher.load()
    sys.stdout.flush()
    return int(start(found, arguments.n, environment, **more))


def _check_fault_tolerance(arguments: argparse.Namespace) -> None:
    """Raise an error for options that exclude each other and for numbers out of range."""
    if not arguments.fault_tolerant and arguments.communicator is None:
        _refuse_survival(arguments, "")
    for name in ("spares", "respawn"):
        if (number := getattr(arguments, name)) < 0:
            raise UsageError(f"argument --{name}: expected 0 or more, got {number}. See 'renga launch --help'.")
    if arguments.min is not None and not 1 <= arguments.min <= arguments.n:
        raise UsageError(
            f"argument --min: expected 1 to {arguments.n} (-n), got {arguments.min}. See 'renga launch --help'."
        )
    if arguments.max is not None and arguments.max < arguments.n:
        raise UsageError(f"argument --max: {arguments.n} (-n) or more, not {arguments.max}. See 'renga launch --help'.")
    if arguments.max is not None and arguments.wait:
        raise UsageError("argument --wait: cannot be used with --max. See 'renga launch --help'.")


def _refuse_survival(arguments: argparse.Namespace, reason: str) -> None:
    """Raise an error if there is an option of jobs that continue when a rank dies."""
    for name in ("spares", "respawn", "wait", "min", "max"):
        if getattr(arguments, name):
            raise UsageError(f"argument --{name}: needs --fault-tolerant{reason}. See 'renga launch --help'.")


def _find_launcher(communicator: str | None) -> tuple[Offer, bool]:
    """Return the launcher of a communicator, and whether its ranks continue when one dies.

    Without a communicator, return the default launcher.
    """
    if communicator is None:
        return registry(LAUNCHER).select().offer, False
    offers = registry(COMMUNICATOR)
    offers.load(communicator, origin="--communicator", probe=True)
    offer = offers.get(communicator)
    return find_launcher(offer), "fault_tolerant" in offer.provider.capabilities
