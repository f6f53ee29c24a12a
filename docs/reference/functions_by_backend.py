"""Write functions-by-backend.md: which function passes its tests on which backend.

Runs the suites of functions (tests/nn/functions) on every array backend that is ready, in-tree ones and third parties',
and counts. To have a third party's in the table, install it first::

    pip install examples/third_party/renga-backend-torch
    python docs/reference/functions_by_backend.py

Ends with an error if a test failed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from renga_core.plugin import ARRAY_BACKEND, FUNCTION, registry
from renga_core.testing.function_suite import ready_backends

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).with_name("functions-by-backend.md")

INTRODUCTION = """# Functions by backend

Each function of the library is tested in the same way on every array backend that is installed: forward against an
independent reference, first and second gradients against numerical derivatives, dtypes, memory layouts, empty inputs,
bad inputs and more (`renga_core.testing.function_suite`). No test names a backend.

A number is that of the tests passed. A test is skipped where a function or a backend says that it does not apply. This
page is written by `docs/reference/functions_by_backend.py`.
"""


class Watch:
    """A pytest plugin that learns which functions a suite calls, and counts how its tests end on each backend.

    Attributes:
        calls: The functions that a suite calls in one of its cases.
        results: By suite and case, backend and outcome, how many tests there were.
    """

    def __init__(self) -> None:
        functions = registry(FUNCTION)
        self._names: dict[Any, set[str]] = defaultdict(set)  # one function may have several
        for name in functions.names():
            self._names[functions.load(name).__code__].add(name)
        self.calls: dict[Any, set[str]] = defaultdict(set)
        self.results: dict[Any, Counter[tuple[str, str]]] = defaultdict(Counter)
        self.failed: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Listen to what the test's own file calls."""
        suite = self._suite(item)
        cls = getattr(item, "cls", None)
        if suite is None or (cls is not None and item.name.partition("[")[0] != "test_forward"):
            return (yield)
        called, path = self.calls[suite], str(item.path)

        def listen(frame: FrameType, event: str, _: Any) -> None:
            caller = frame.f_back
            if event == "call" and frame.f_code in self._names and caller and caller.f_code.co_filename == path:
                called.update(self._names[frame.f_code])

        sys.setprofile(listen)
        try:
            return (yield)
        finally:
            sys.setprofile(None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Count."""
        report = yield
        suite = self._suite(item)
        if suite is not None and (report.when == "call" or report.outcome != "passed"):
            self.results[suite][item.callspec.params["device"], report.outcome] += 1  # type: ignore[attr-defined]
        if report.failed:
            self.failed.append(report.nodeid)
        return report

    @staticmethod
    def _suite(item: pytest.Item) -> Any:
        """What a test that runs on every backend belongs to: a class and case, or itself with its parameters."""
        cls, call = getattr(item, "cls", None), getattr(item, "callspec", None)
        if call is None or "device" not in call.params:
            return None
        if cls is not None:
            return item.path, cls.__name__, call.params.get("case")
        rest = {name: repr(value) for name, value in call.params.items() if name != "device"}
        return item.path, item.name.partition("[")[0], tuple(sorted(rest.items()))

    def of_function(self, name: str, backend: str) -> Counter[str]:
        """How many tests of a function ended how on a backend."""
        return self._total([suite for suite, called in self.calls.items() if name in called], backend)

    def of_all(self, backend: str) -> Counter[str]:
        """How many tests ended how on a backend."""
        return self._total(list(self.results), backend)

    def _total(self, suites: list[Any], backend: str) -> Counter[str]:
        total: Counter[str] = Counter()
        for suite in suites:
            for (on, outcome), number in self.results[suite].items():
                if on == backend:
                    total[outcome] += number
        return total


def page(watch: Watch, backends: list[str]) -> str:
    """The page as text."""
    heads = []
    for name in backends:
        plugin = registry(ARRAY_BACKEND).get(name).plugin
        heads.append(f"`{name}` ({plugin.distribution} {plugin.version})")
    rows = []
    untested = []
    for name in sorted(registry(FUNCTION).names()):
        found = [watch.of_function(name, backend) for backend in backends]
        if any(found):
            rows.append([f"`{name}`", *map(_cell, found)])
        else:
            untested.append(f"`{name}`")
    rows.append(["**all**", *[f"**{_cell(watch.of_all(backend))}**" for backend in backends]])
    table = [["function", *heads], ["---"] + ["---:"] * len(backends), *rows]
    lines = ["| " + " | ".join(row) + " |" for row in table]
    rest = (
        f"\nNot in the table, because no test of that sort calls them by name: {', '.join(untested)}.\n"
        if untested
        else ""
    )
    return INTRODUCTION + "\n" + "\n".join(lines) + "\n" + rest


def _cell(counts: Counter[str]) -> str:
    if not counts:
        return "not run"
    if counts["failed"]:
        return f"{counts['failed']} of {counts.total()} failed"
    return f"{counts['passed']} ({counts['skipped']} skipped)" if counts["skipped"] else str(counts["passed"])


def main() -> int:
    """Run the suites and write the page; the number of failed tests decides how it ends."""
    parser = argparse.ArgumentParser(description="Write functions-by-backend.md.")
    parser.add_argument("--output", type=Path, default=PAGE, help="where to write the page")
    arguments = parser.parse_args()
    watch = Watch()
    options = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    status = pytest.main([*options, str(ROOT / "tests" / "nn" / "functions")], plugins=[watch])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(status)
    arguments.output.write_text(page(watch, ready_backends()), encoding="utf-8")
    print("\n".join(watch.failed))
    return int(bool(watch.failed))


if __name__ == "__main__":
    sys.exit(main())
