"""Write functions-by-backend.md: which function, link and optimizer passes its tests on which backend.

Runs their suites (tests/nn/functions, tests/nn/links, tests/optimizers) on every array backend that is ready, in-tree
ones and third parties', and counts. To have a third party's in the table, install it first::

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

from renga_core.kinds import ARRAY_BACKEND, FUNCTION, LINK, OPTIMIZER
from renga_core.plugin import Kind, registry
from renga_testing.every_backend import ready_backends
from renga_testing.link_suite import LinkSuite

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).with_name("functions-by-backend.md")

FOLDERS = ("nn/functions", "nn/links", "optimizers")

INTRODUCTION = """# Functions by backend

Each function of the library is tested in the same way on every array backend that is installed: forward against an
independent reference, first and second gradients against numerical derivatives, dtypes, memory layouts, empty inputs,
bad inputs and more (`renga_testing.function_suite`). So is each link, with gradients of parameters, saving,
copying and moving (`renga_testing.link_suite`), and each optimizer, against its paper. No test names a backend.

A number is that of the tests passed. A test is skipped where a function or a backend says that it does not apply. This
page is written by `docs/reference/functions_by_backend.py`.
"""


class Watch:
    """A pytest plugin that learns what a suite is about, and counts how its tests end on each backend.

    Attributes:
        calls: The functions that a suite calls in one of its cases, the link or the optimizer that it tests; each after
            its kind, as ``function:relu``.
        results: By suite and case, backend and outcome, how many tests there were.
    """

    def __init__(self) -> None:
        self._names: dict[Any, set[str]] = defaultdict(set)  # one function may have several
        for kind in (FUNCTION, LINK, OPTIMIZER):
            for name in registry(kind).names():
                target = registry(kind).load(name)
                self._names[getattr(target, "__code__", target)].add(f"{kind.name}:{name}")
        optimizers = registry(OPTIMIZER)
        self._optimizers = {
            alias: name for name in optimizers.names() for alias in (name, optimizers.load(name).__name__)
        }
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
        if cls is not None and issubclass(cls, LinkSuite):
            self.calls[suite].update(self._names[type(item.instance.make_link())])  # type: ignore[attr-defined]  # pytest's
            return (yield)
        optimizer = self._optimizers.get(item.callspec.params.get("name"))  # type: ignore[attr-defined]  # pytest's
        if optimizer is not None:
            self.calls[suite].add(f"{OPTIMIZER.name}:{optimizer}")
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

    def of_one(self, subject: str, backend: str) -> Counter[str]:
        """How many tests of a function, link or optimizer ended how on a backend."""
        return self._total([suite for suite, called in self.calls.items() if subject in called], backend)

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
    total = ["**all tests**", *[f"**{_cell(watch.of_all(backend))}**" for backend in backends]]
    parts = [_section(watch, kind, backends, heads) for kind in (FUNCTION, LINK, OPTIMIZER)]
    return "\n".join([INTRODUCTION, *parts, _table(["", *heads], [total])])


def _section(watch: Watch, kind: Kind, backends: list[str], heads: list[str]) -> str:
    """The table of a kind, and what is not in it."""
    rows = []
    untested = []
    for name in sorted(registry(kind).names()):
        found = [watch.of_one(f"{kind.name}:{name}", backend) for backend in backends]
        if any(found):
            rows.append([f"`{name}`", *map(_cell, found)])
        else:
            untested.append(f"`{name}`")
    rest = f"\nNot in the table, because no test of that sort is about them alone: {', '.join(untested)}.\n"
    return _table([kind.name, *heads], rows) + (rest if untested else "")


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


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
    status = pytest.main([*options, *[str(ROOT / "tests" / folder) for folder in FOLDERS]], plugins=[watch])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return int(status)
    arguments.output.write_text(page(watch, ready_backends()), encoding="utf-8")
    print("\n".join(watch.failed))
    return int(bool(watch.failed))


if __name__ == "__main__":
    sys.exit(main())
