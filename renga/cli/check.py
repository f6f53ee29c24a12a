"""`renga check`: apply a conformance kit to something that a plugin provides.

The command writes a test file of a few lines, as an author would, into a temporary folder, and runs it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import tempfile
from argparse import ArgumentTypeError
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from renga_core.command_line import Parser, assignment, word
from renga_core.errors import RengaError, did_you_mean
from renga_core.plugin import Registry, get_manager
from renga_core.settings import using_command_line
from renga_core.settings.files import read_toml
from renga_core.settings.types import from_toml
from renga_serializers.atomic import atomic_write

if TYPE_CHECKING:
    from renga_testing.suites.outcome_counts import Summary

__all__ = ["CheckError", "run"]

PLUGIN = "plugin"
"""Replaces a kind, for the kit that every plugin must pass."""


class CheckError(RengaError):
    """The kit cannot be applied: pytest is missing, there is no kit, or a file is wrong."""

    exit_status = 2


def run(argv: Sequence[str]) -> int:
    """Run ``renga check KIND:NAME [--set KEY=VALUE] [--backend NAME] [--xfails FILE] [--json FILE]``.

    Returns:
        1 if a test fails, else 0.
    """
    parser = Parser("renga check", "Run the conformance tests of a kind (backend, optimizer, …) on one provider of it.")
    parser.add_argument(
        "what",
        type=_kind_and_name,
        metavar="KIND:NAME",
        help="what to test: array_backend:numpy, optimizer:adam, optimizer:PLUGIN:adam, … or plugin:NAME",
    )
    parser.add_argument(
        "--set",
        action="append",
        type=assignment,
        default=[],
        metavar="KEY=VALUE",
        help="pass this argument when creating it; may be repeated",
    )
    parser.add_argument(
        "--backend",
        action="append",
        type=word,
        metavar="NAME",
        help="test on this backend (default: numpy); may be repeated; 'all' means all installed backends",
    )
    parser.add_argument(
        "--xfails",
        type=Path,
        metavar="FILE",
        help='TOML file of tests that are expected to fail: "name of a test" = "reason"',
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result of each test to a JSON file")
    parser.add_argument("--verbose", action="store_true", help="show the output of pytest")
    arguments = parser.parse_all(argv)
    if importlib.util.find_spec("pytest") is None:
        raise CheckError("conformance kits need pytest, which is not installed.\nNext: pip install pytest")
    from renga_testing.every_backend import ready_backends

    kind, name = arguments.what
    options = {key: from_toml(value) for key, value in arguments.set}
    program = _program(kind, name, options, _read_xfails(arguments.xfails))
    with using_command_line({"check.backends": ("--backend", arguments.backend)} if arguments.backend else {}):
        ready_backends()  # reports an unusable backend here, before any test fails because of it
        summaries = _apply(program, arguments.verbose)
    if arguments.json:
        _write_json(arguments.json, f"{kind}:{name}", summaries)
    for summary in summaries:
        _print_failures(summary)
    for summary in summaries:
        print(summary)
    return 1 if any(summary.of("failed") for summary in summaries) else 0


def _print_failures(summary: Summary) -> None:
    """Each message once, even if many tests fail for that reason."""
    reasons: dict[str, list[str]] = {}
    for outcome in summary.of("failed"):
        reasons.setdefault(outcome.message, []).append(outcome.test)
    for message, tests in reasons.items():
        others = f" (and {len(tests) - 1} more)" if len(tests) > 1 else ""
        print(f"FAILED {summary.subject}: {tests[0]}{others}: {message}")


def _kind_and_name(text: str) -> tuple[str, str]:
    kind, colon, name = text.partition(":")
    if not colon or not kind or not name:
        raise ArgumentTypeError(f"expected KIND:NAME, got '{text}'")
    return kind, name


def _program(kind: str, name: str, options: Mapping[str, Any], xfails: Mapping[str, str]) -> str:
    """The text of the test file: the kit of the kind, and the kit of the plugin that provides it."""
    from renga_testing.suites import PluginSuite

    manager = get_manager()
    mine = {test: reason for test, reason in xfails.items() if _names_a_test(PluginSuite, test)}
    rest = {test: reason for test, reason in xfails.items() if test not in mine}
    if kind == PLUGIN:
        known = [plugin.name for plugin in manager.plugins()]
        if name not in known:
            raise CheckError(f"no plugin named '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}.")
        return _class("TestPlugin", "renga_testing.suites:PluginSuite", {"plugin": name, "xfails": xfails})
    row = manager.kind(kind)
    if not row.suite:
        kinds = ", ".join(known.name for known in manager.kinds().values() if known.suite)
        raise CheckError(f"there is no conformance kit for kind '{kind}'. Kinds with one: {kinds}, {PLUGIN}.")
    offer = Registry(row, manager).get(name, origin="command line")
    plugin = {"plugin": offer.plugin.name, "xfails": mine}
    provider = {"provider": offer.full_name, "options": dict(options), "xfails": rest}
    return _class("TestPlugin", "renga_testing.suites:PluginSuite", plugin) + _class(
        "TestProvider", row.suite, provider
    )


def _names_a_test(suite: type, test: str) -> bool:
    return hasattr(suite, test.partition("[")[0])


def _class(name: str, suite: str, attributes: Mapping[str, Any]) -> str:
    module, _, base = suite.partition(":")
    lines = "".join(f"    {key} = {value!r}\n" for key, value in attributes.items())
    return f"from {module} import {base}\n\n\nclass {name}({base}):\n{lines}\n\n"


def _apply(program: str, verbose: bool) -> list[Summary]:
    """Run the tests, and return the result of each."""
    import pytest

    from renga_testing.suites.outcome_counts import OutcomeCounts

    counts = OutcomeCounts()
    with tempfile.TemporaryDirectory(prefix="renga-check-") as folder:
        file = Path(folder, "test_conformance.py")
        file.write_text(program, encoding="utf-8")
        # Ignore pytest's configuration in the user's current folder and environment, and leave no files there.
        os.environ.pop("PYTEST_ADDOPTS", None)
        options = [f"--rootdir={folder}", f"-c{os.devnull}", "-pno:cacheprovider", "--import-mode=importlib"]
        options += ["-v"] if verbose else ["-pno:terminal"]
        status = pytest.ExitCode(pytest.main([*options, str(file)], plugins=[counts]))
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise CheckError(f"pytest could not run the kit ({status.name}).\nNext: add --verbose to see why.")
    return list(counts.summaries.values())


def _read_xfails(path: Path | None) -> dict[str, str]:
    document = read_toml(path) if path else {}
    for test, reason in document.items():
        if not isinstance(reason, str) or not reason.strip():
            raise CheckError(f"{path}: {test!r}: expected the reason why it fails, a text; got {reason!r}")
    return document


def _write_json(path: Path, what: str, summaries: Sequence[Summary]) -> None:
    document = {
        "checked": what,
        "kits": [
            {
                "subject": summary.subject,
                "declared": list(summary.declared),
                "counts": summary.counts(),
                "tests": [vars(outcome) for outcome in summary.outcomes],
            }
            for summary in summaries
        ],
    }
    try:
        with atomic_write(path, "w") as file:
            file.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise CheckError(f"--json {path}: cannot be written: {error.strerror or error}") from error
