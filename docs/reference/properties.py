"""Write properties.md: which property was checked for which function and link, and why where one was not.

Collects tests/nn/functions and tests/nn/links as pytest does, and runs none of it: a property is checked if there is a
test of that name in a suite (`renga_testing.function_suite`, `renga_testing.link_suite`) about the function,
or it is in the suite's ``excluded``, with the reason. A suite is about what its name says (``TestReLU`` is about
``relu``) or its attribute ``subjects`` lists; that it calls that, and in which of its cases, is found by calling it
once in each.

Ends with an error if there is a hole: a function or link without a suite, or a property neither checked nor excluded.
With ``--check`` it ends with one, too, if the page says something else, and writes nothing.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_device
from renga_core.configuration import using_config
from renga_core.kinds import FUNCTION, LINK
from renga_core.plugin import Kind, registry
from renga_testing.every_backend import EveryBackendSuite
from renga_testing.function_suite import FunctionSuite
from renga_testing.link_suite import LinkSuite

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).with_suffix(".md")
FOLDERS = ("nn/functions", "nn/links")
SUITES: dict[Kind, type[EveryBackendSuite]] = {FUNCTION: FunctionSuite, LINK: LinkSuite}

ELSEWHERE = {
    "link:caffe_function": (
        "nn/links/caffe/test_caffe_function.py",
        "a network read from a file: what each layer becomes is compared with the function that it stands for",
    ),
    **{
        f"link:{name}": (
            "nn/links/vision/test_networks.py",
            "a whole network, too large for numerical derivatives, of links and functions that are in these tables",
        )
        for name in (
            "googlenet",
            "resnet50_layers",
            "resnet101_layers",
            "resnet152_layers",
            "vgg16_layers",
            "vgg19_layers",
        )
    },
}
"""What has no suite: the tests that it has instead, and why."""

INTRODUCTION = """# Properties, function by function

Which property is checked by the tests for which function and link. ✓ says that a test of that name is run for it, on
each array backend that is installed (how they end there: [functions by backend](functions-by-backend.md)); a number
leads to the reason why there is none. `float16` says that those of its tests that take a dtype take that one as well.

Written by `docs/reference/properties.py` from the tests as pytest collects them; a test compares.
"""


class Collected:
    """A pytest plugin that learns which tests there are of what.

    Attributes:
        checked: For each function and link, as ``function:relu``, the names of its tests.
        reasons: For each of them and each property that a suite about it excludes, the reasons.
        problems: What is wrong with the suites themselves.
    """

    def __init__(self) -> None:
        self.checked: dict[str, set[str]] = defaultdict(set)
        self.reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.problems: list[str] = []
        self._names: dict[Any, set[str]] = defaultdict(set)  # one function may have several
        self._about: dict[tuple[type, str | None], set[str]] = {}
        for kind in SUITES:
            for name in registry(kind).names():
                target = registry(kind).load(name)
                self._names[getattr(target, "__code__", target)].add(f"{kind.name}:{name}")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note the property that each test checks."""
        for item in items:
            suite = getattr(item, "cls", None)
            if suite is None or not issubclass(suite, tuple(SUITES.values())):
                continue
            parameters = item.callspec.params  # type: ignore[attr-defined]  # pytest's
            if parameters["device"] != "numpy":
                continue
            name = item.name.partition("[")[0].removeprefix("test_")
            for subject in self._subjects(suite, parameters.get("case")):
                if name in suite.excluded:
                    continue
                self.checked[subject].add(name)
                if parameters.get("dtype") == "float16":
                    self.checked[subject].add("float16")

    def _subjects(self, suite: type[Any], case: str | None) -> set[str]:
        """What a suite is about in one of its cases; in the first, where a test is run in that one only."""
        case = case or next(iter(suite.cases), None)
        if (suite, case) not in self._about:
            self._visit(suite)
        return self._about[suite, case]

    def _visit(self, suite: type[Any]) -> None:
        """Learn what a suite is about in each of its cases, and what it excludes."""
        said = self._said(suite)
        where = f"{suite.__module__}.{suite.__name__}"
        for case in suite.cases or [None]:
            self._about[suite, case] = said & self._called(suite, case)
        missing = said - set().union(*[self._about[suite, case] for case in suite.cases or [None]])
        if missing:
            self.problems.append(f"{where} is about {sorted(missing)}, but calls no such thing")
        for subject in said:
            for name, reason in suite.excluded.items():
                if reason not in self.reasons[subject, name]:
                    self.reasons[subject, name].append(reason)

    def _said(self, suite: type[Any]) -> set[str]:
        (kind,) = [kind for kind, base in SUITES.items() if issubclass(suite, base)]
        if suite.subjects is not None:
            unknown = set(suite.subjects) - set(registry(kind).names())
            if unknown:
                self.problems.append(f"{suite.__name__}.subjects: no {kind.name} is called {sorted(unknown)}")
            return {f"{kind.name}:{name}" for name in suite.subjects}
        plain = suite.__name__.removeprefix("Test").lower()
        named = {f"{kind.name}:{name}" for name in registry(kind).names() if name.replace("_", "") == plain}
        if not named:
            self.problems.append(f"{suite.__module__}.{suite.__name__}: no {kind.name} has this name; set `subjects`")
        return named

    def _called(self, suite: type[Any], case: str | None) -> set[str]:
        """What the suite's own code calls in a case, or the link that it makes."""
        test = suite()
        test.use_case(case)
        files = {sys.modules[base.__module__].__file__ for base in suite.__mro__ if base is not object}
        called: set[str] = set()

        def listen(frame: FrameType, event: str, _: Any) -> None:
            caller = frame.f_back
            if event == "call" and frame.f_code in self._names and caller and caller.f_code.co_filename in files:
                called.update(self._names[frame.f_code])

        with using_config("dtype", np.dtype("float64")):
            random.seed(0)
            if isinstance(test, LinkSuite):
                return self._names[type(test.make_link())]
            xs = test._inputs(get_device("numpy"), "float64")
            with _profile(listen):
                test._outputs(xs)
        return called

    def holes(self) -> Iterator[str]:
        """What is neither checked nor excluded."""
        for kind, suite in SUITES.items():
            for name in registry(kind).names():
                subject = f"{kind.name}:{name}"
                if subject in ELSEWHERE:
                    tests = ROOT / "tests" / ELSEWHERE[subject][0]
                    if subject in self.checked:
                        yield f"{subject}: has a suite; take it out of ELSEWHERE"
                    elif not tests.is_file() or registry(kind).load(name).__name__ not in tests.read_text("utf-8"):
                        yield f"{subject}: {tests} does not test it"
                elif subject not in self.checked:
                    yield f"{subject}: there is no suite about it"
                else:
                    rest = set(_properties(suite)) - self.checked[subject]
                    yield from (f"{subject}: {p}" for p in sorted(rest) if not self.reasons.get((subject, p)))


@contextmanager
def _profile(listen: Callable[..., None]) -> Iterator[None]:
    sys.setprofile(listen)
    try:
        yield
    finally:
        sys.setprofile(None)


def _properties(suite: type[Any]) -> dict[str, str]:
    """The properties that a suite checks, as it orders them, with what they say."""
    found = {name.removeprefix("test_"): test.__doc__ for name, test in vars(suite).items() if name.startswith("test_")}
    return {**found, "float16": "Tests that take a dtype take float16, too."}


def page(collected: Collected) -> str:
    """The page as text."""
    return "\n".join([INTRODUCTION, *[_section(collected, kind) for kind in SUITES]])


def _section(collected: Collected, kind: Kind) -> str:
    """What the properties of a kind say, the table, and the reasons."""
    properties = _properties(SUITES[kind])
    notes: dict[str, int] = {}
    rows = []
    for name in sorted(registry(kind).names()):
        subject = f"{kind.name}:{name}"
        if subject in ELSEWHERE:
            continue
        cells = []
        for p in properties:
            reasons = [] if p in collected.checked[subject] else collected.reasons.get((subject, p), [])
            numbers = [str(notes.setdefault(reason, len(notes) + 1)) for reason in reasons]
            cells.append("✓" if p in collected.checked[subject] else ", ".join(numbers))
        rows.append([f"`{name}`", *cells])
    table = [[kind.name, *[f"`{p}`" for p in properties]], ["---"] + [":---:"] * len(properties), *rows]
    lines = [f"## {kind.name.capitalize()}s: {len(rows)}", ""]
    lines += [f"- `{p}`: {says}" for p, says in properties.items()]
    lines += ["", *["| " + " | ".join(row) + " |" for row in table], ""]
    lines += [f"{number}. {reason[0].upper()}{reason[1:]}." for reason, number in notes.items()]
    others = {s.partition(":")[2]: why for s, why in ELSEWHERE.items() if s.startswith(f"{kind.name}:")}
    if others:
        lines += ["", "Tested otherwise:", ""]
        lines += [f"- `{name}` in `tests/{path}`: {reason}." for name, (path, reason) in sorted(others.items())]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Collect the tests and write the page, or compare it."""
    parser = argparse.ArgumentParser(description="Write properties.md.")
    parser.add_argument("--check", action="store_true", help="compare the page, and write nothing")
    arguments = parser.parse_args()
    collected = Collected()
    options = [
        "-qqq",
        "--collect-only",
        "--no-header",
        "--no-summary",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(ROOT),
    ]
    with redirect_stdout(io.StringIO()) as said:
        status = pytest.main([*options, *[str(ROOT / "tests" / folder) for folder in FOLDERS]], plugins=[collected])
    if status != pytest.ExitCode.OK:
        print(said.getvalue())
        return int(status)
    problems = [*collected.problems, *collected.holes()]
    text = page(collected)
    if not arguments.check:
        PAGE.write_text(text, encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != text:
        problems.append(f"{PAGE.name} is not up to date: python {Path(__file__).relative_to(ROOT)}")
    print("\n".join(problems))
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
