"""`renga launch -n 4 PROGRAM …`: run a program on several processes that MPI connects."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import Offer, registry
from renga_core.settings import lookup

from .parser import Parser, UsageError

__all__ = ["run"]

_MPI = "renga_comm_mpi.job:launch"
"""The launcher of which this command knows all options."""


def run(argv: Sequence[str]) -> int:
    """Run ``renga launch -n RANKS [--threads N] [--hosts HOST[:RANKS],…] [--tag] [--communicator NAME] PROGRAM …``.

    The status of the program becomes the command's. Ctrl-C asks all ranks to stop; a second one kills them.
    """
    parser = Parser(
        "renga launch",
        "Run a program on several processes that MPI connects: FILE.py, -m MODULE, 'renga train FILE.toml', or any "
        "other command. Whatever follows the program is the program's. Ctrl-C asks all ranks to stop, a second one "
        "kills them.",
    )
    parser.add_argument(
        "-n", type=int, required=True, metavar="RANKS", help="how many processes; there may be more than cores"
    )
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="with which each of them computes (default: as OMP_NUM_THREADS says, or else its share of the cores)",
    )
    parser.add_argument(
        "--communicator", metavar="NAME", help="whose ranks they are, for one that starts them itself (default: MPI)"
    )
    parser.add_argument("--hosts", metavar="HOST[:RANKS],…", help="where they run (default: all here)")
    parser.add_argument("--tag", action="store_true", help="begin each line of output with the rank that wrote it")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="a Python module to run, and its arguments")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM …", help="what to run, and its arguments")
    arguments = parser.parse_all(argv)
    if arguments.n < 1:
        raise UsageError(f"argument -n: at least 1 process is needed, not {arguments.n}. See 'renga launch --help'.")
    if arguments.threads is not None and arguments.threads < 1:
        raise UsageError(
            f"argument --threads: at least 1 is needed, not {arguments.threads}. See 'renga launch --help'."
        )
    program = arguments.program if arguments.module is None else ["-m", *arguments.module]
    if not program:
        raise UsageError("no program to run. See 'renga launch --help'.")

    from renga_comm_mpi.job import run_job
    from renga_comm_mpi.launching import find_mpiexec, find_program, launch_command

    found = find_program(program)
    offer = None if arguments.communicator is None else _with_launcher(arguments.communicator)
    if offer is not None and offer.provider.launcher != _MPI and (arguments.hosts is not None or arguments.tag):
        raise UsageError(f"arguments --hosts, --tag: not for the ranks of communicator '{arguments.communicator}'.")
    if offer is not None and offer.provider.launcher != _MPI:
        sys.stdout.flush()
        return int(offer.load_launcher()(found, arguments.n, _environment(arguments.n, arguments.threads)))
    command = launch_command(find_mpiexec(), found, arguments.n, hosts=arguments.hosts, tagged=arguments.tag)
    hosts = 1 if arguments.hosts is None else len(arguments.hosts.split(","))
    environment = _environment(-(-arguments.n // hosts), arguments.threads)
    sys.stdout.flush()
    here = arguments.n if arguments.hosts is None else None
    return run_job(command, environment, ranks_here=here, timeout=lookup("distributed.timeout").value)


def _with_launcher(name: str) -> Offer:
    """A communicator by name, which can be used, and can start ranks."""
    offers = registry(COMMUNICATOR)
    offers.load(name, origin="--communicator", probe=True)
    offer = offers.get(name)
    offer.load_launcher()
    return offer


def _environment(size: int, threads: int | None) -> dict[str, str]:
    """That of ranks of which so many are on this machine."""
    from renga_comm_mpi.launching import rank_environment

    environment = rank_environment(size, threads=threads)
    # What was disabled on the command line is disabled in the ranks, too.
    environment["RENGA_PLUGINS_DISABLE"] = ",".join(lookup("plugins.disable").value)
    return environment
