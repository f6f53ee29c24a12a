"""`renga doctor`: test the installation before a run depends on it.

Each probe and computation runs in a separate process with a time limit. A driver that hangs or crashes affects only
that process, and is reported as a line of the table.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import NamedTuple

from renga_core.command_line import Parser
from renga_core.kinds import ARRAY_BACKEND, DOCTOR_CHECK
from renga_core.plugin import Candidate, Registry, State, get_manager, registry
from renga_core.settings import lookup

from .numbers import positive
from .output import print_json, print_table

__all__ = ["run"]

FAULTS = (State.BROKEN, State.INVALID, State.INCOMPATIBLE, State.AMBIGUOUS)


class Finding(NamedTuple):
    """One line of the table: what was tested, its state, and details."""

    what: str
    state: str
    about: str


def run(argv: Sequence[str]) -> int:
    """Run ``renga doctor [--timeout SECONDS] [--hosts HOST,…] [--json]``; exit status 1 if something is broken."""
    parser = Parser(
        "renga doctor", "Test this installation: run the probe of every plugin, and compute on each backend."
    )
    parser.add_argument(
        "--timeout", type=positive, default=60.0, metavar="SECONDS", help="time limit of each test (default: 60)"
    )
    parser.add_argument(
        "--hosts",
        metavar="HOST,…",
        help="test MPI with one rank on each of these hosts (default: two ranks on this host)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_all(argv)
    found = [*_machine(), *_plugins(), *_trials(arguments.timeout), *_checks(arguments.timeout, arguments.hosts)]
    sick = any(finding.state in FAULTS for finding in found)
    if arguments.json:
        print_json([finding._asdict() for finding in found])
    else:
        print_table(_grouped(found), head=("WHAT", "STATE", "ABOUT"))
        print("\nSomething is broken: see above." if sick else "\nAll is well.")
    return 1 if sick else 0


def _grouped(found: Sequence[Finding]) -> list[Finding]:
    """Make one line of the providers of a plugin about which there is the same to say, where the first of them is.

    The line says how many they are; if they are not usable, also their names, by kind.
    """
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in found:
        plugin, colon, _ = finding.what.rpartition(" ")[2].partition(":")
        alike.setdefault((plugin, *finding[1:]) if colon else finding, []).append(finding)
    lines = []
    for key, (first, *others) in alike.items():
        if not others:
            lines.append(first)
            continue
        names: dict[str, list[str]] = {}
        for finding in (first, *others):
            kind, _, name = finding.what.partition(" ")
            names.setdefault(kind, []).append(name.partition(":")[2])
        listed = "; ".join(f"{kind} {', '.join(each)}" for kind, each in names.items())
        about = first.about if first.state == State.READY else f"{first.about}. Affected: {listed}"
        lines.append(Finding(f"{1 + len(others)} providers of {key[0]}", first.state, about))
    return lines


def _machine() -> Iterator[Finding]:
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield Finding("python", State.READY, f"{python}, {os.cpu_count()} cores")
    yield Finding("renga", State.READY, version("renga"))
    yield Finding("numpy", State.READY, version("numpy"))


def _plugins() -> Iterator[Finding]:
    manager = get_manager()
    for kind in manager.kinds().values():
        manager.offers(kind)  # calls each hook, so that its problems are known
    for plugin in manager.plugins():
        state, reason, next_step = plugin.status
        yield Finding(f"plugin {plugin.name}", state, f"{reason}. {next_step}" if reason else plugin.origin)
    for problem in manager.problems():
        state, reason, next_step = problem.status
        yield Finding(f"plugin {problem.plugin.name}, hook {problem.hook}", state, f"{reason}. {next_step}")


def _trials(timeout: float) -> Iterator[Finding]:
    """Of the providers of a plugin that share a probe, test only one; the result holds for all."""
    manager = get_manager()
    told: dict[tuple[str, str], Finding] = {}
    for kind in manager.kinds().values():
        for candidate in Registry(kind, manager).list():
            offer, status = candidate
            if kind is not ARRAY_BACKEND and not offer.provider.probe:
                continue
            what, probe = f"{kind.name} {offer.full_name}", (offer.plugin.name, offer.provider.probe)
            if kind is ARRAY_BACKEND or status.state is not State.READY:  # a backend is also tested by computing
                yield _trial(what, candidate, timeout)
                continue
            if probe not in told:
                told[probe] = _trial(what, candidate, timeout)
            yield told[probe]._replace(what=what)


def _checks(timeout: float, hosts: str | None) -> Iterator[Finding]:
    """Run the tests that plugins bring (kind ``doctor_check``), such as the test of MPI, which starts ranks."""
    for offer, status in registry(DOCTOR_CHECK).list():
        what = f"{offer.kind.name} {offer.full_name}"
        if status.state is not State.READY:
            yield Finding(what, status.state, f"{status.reason}. {status.next_step}")
            continue
        try:
            yield from [Finding(*row) for row in offer.load()(timeout, hosts)]
        except Exception as error:
            yield Finding(what, State.BROKEN, f"raised {type(error).__name__}: {error}. {offer.plugin.blame}")


def _trial(what: str, candidate: Candidate, timeout: float) -> Finding:
    offer, status = candidate
    if status.state is not State.READY:
        return Finding(what, status.state, f"{status.reason}. {status.next_step}")
    command = [sys.executable, "-m", "renga.cli.doctor_trial", offer.kind.name, offer.full_name]
    # Plugins disabled on the command line are disabled in this process too.
    environment = os.environ | {"RENGA_PLUGINS_DISABLE": ",".join(lookup("plugins.disable").value)}
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)
    except subprocess.TimeoutExpired:
        return Finding(what, State.BROKEN, f"no answer in {timeout:g} s")
    try:
        state, about = json.loads(ended.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        lines = ended.stderr.strip().splitlines()
        return Finding(
            what, State.BROKEN, f"ended with status {ended.returncode}. {lines[-1] if lines else ''}".strip()
        )
    return Finding(what, state, about)
