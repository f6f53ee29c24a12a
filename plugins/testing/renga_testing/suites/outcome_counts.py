"""Counts what a kit declares, checks and skips; other skipped tests fail.

The first kit that is collected registers this pytest plugin.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import pytest

__all__ = ["SKIPPED_BY_KIT", "Outcome", "OutcomeCounts", "Summary"]

SKIPPED_BY_KIT = pytest.StashKey[bool]()
"""Marks a test that the kit itself skips; any other skip is an error."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one test: ``passed``, ``failed``, ``skipped`` or ``xfailed``; and its message or reason."""

    test: str
    result: str
    message: str = ""


@dataclass
class Summary:
    """One class of tests.

    Attributes:
        suite: Name of the class.
        subject: Kind and name of what it tests.
        declared: Capabilities that the provider declares.
        outcomes: Outcome of each test, in order.
        note: A remark, from `Suite.note`.
    """

    suite: str
    subject: str
    declared: tuple[str, ...]
    outcomes: list[Outcome] = field(default_factory=list)
    note: str = ""

    def of(self, *results: str) -> list[Outcome]:
        """The outcomes with one of these results."""
        return [outcome for outcome in self.outcomes if outcome.result in results]

    def counts(self) -> dict[str, int]:
        """Numbers of declared capabilities, and of tests: checked (also failed ones), skipped, expected to fail."""
        return {
            "declared": len(self.declared),
            "checked": len(self.of("passed", "failed")),
            "failed": len(self.of("failed")),
            "skipped": len(self.of("skipped")),
            "expected to fail": len(self.of("xfailed")),
        }

    def __str__(self) -> str:
        details = {
            "declared": ", ".join(self.declared),
            "skipped": "; ".join(sorted({outcome.message for outcome in self.of("skipped")})),
        }
        parts = []
        for what, count in self.counts().items():
            if count or what != "expected to fail":
                parts.append(f"{what} {count}" + (f" ({details[what]})" if details.get(what) else ""))
        return f"{self.subject}: {', '.join(parts)}" + (f"; {self.note}" if self.note else "")


class OutcomeCounts:
    """A plugin of pytest that keeps one `Summary` for each kit.

    Attributes:
        summaries: By class.
    """

    def __init__(self) -> None:
        self.summaries: dict[type, Summary] = {}

    @classmethod
    def of(cls, config: pytest.Config) -> OutcomeCounts:
        """The counts of a pytest run."""
        for plugin in config.pluginmanager.get_plugins():
            if isinstance(plugin, cls):
                return plugin
        made = cls()
        config.pluginmanager.register(made, "renga-conformance")
        return made

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Record the outcome of a test."""
        report = yield
        suite = _suite(item)
        if suite is None:
            return report
        expected = hasattr(report, "wasxfail")
        if report.skipped and not expected and not item.stash.get(SKIPPED_BY_KIT, False):
            report.outcome = "failed"
            report.longrepr = f"a test of a kit is skipped only for an undeclared capability, not for: {_message(call)}"
        if report.when == "call" or report.outcome != "passed":
            summary = self._summary(suite)
            summary.outcomes.append(Outcome(item.name, *_result(report, call, expected)))
            summary.note = suite().note
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the counts."""
        if self.summaries:
            terminalreporter.section("conformance")
            for summary in self.summaries.values():
                terminalreporter.write_line(str(summary))

    def _summary(self, suite: Any) -> Summary:
        if suite not in self.summaries:
            test = suite()
            try:
                declared = tuple(sorted(test.declared))
            except Exception:  # the provider is not available; its tests report this
                declared = ()
            self.summaries[suite] = Summary(suite.__name__, test.label, declared)
        return self.summaries[suite]


def _suite(item: pytest.Item) -> Any:
    from renga_testing.suites.suite import Suite

    cls = getattr(item, "cls", None)
    return cls if isinstance(cls, type) and issubclass(cls, Suite) else None


def _result(report: pytest.TestReport, call: pytest.CallInfo[None], expected: bool) -> tuple[str, str]:
    if expected and report.skipped:
        return "xfailed", str(getattr(report, "wasxfail", ""))
    if report.skipped:
        return "skipped", _message(call)
    if report.failed:
        return "failed", _message(call) or str(report.longrepr)
    return "passed", ""


def _message(call: pytest.CallInfo[None]) -> str:
    """An error on one line; with its type, unless it is an assertion or a skip."""
    if call.excinfo is None:
        return ""
    error = call.excinfo.value
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = " ".join(lines[:4])
    if isinstance(error, (AssertionError, pytest.skip.Exception, pytest.fail.Exception)):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
