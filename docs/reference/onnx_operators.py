"""Write onnx-operators.md: which operators `renga.onnx.load` computes, and which of ONNX's own test cases pass.

With ``--check`` it writes nothing, and exits with status 1 if the page is not up to date.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import onnx

from renga_onnx.load.operators import OPERATORS
from renga_onnx.load.reading import OPSETS

ROOT = Path(__file__).parents[2]
PAGE = Path(__file__).with_name("onnx-operators.md")


def _beside_the_tests(name: str) -> ModuleType:
    """A module in the folder of the tests."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "onnx" / "load" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


node_cases = _beside_the_tests("node_cases")


class Result(NamedTuple):
    """How a case came out: ``"passed"``, ``"not run: …"``, ``"failed: …"``, or "" for what is not of these opsets."""

    name: str
    operator: str
    state: str


def results() -> list[Result]:
    """All cases, run."""
    cases = node_cases.cases()
    return [Result(name, _operator(name, cases), _state(case)) for name, case in cases.items()]


def _operator(name: str, cases: dict[str, Any]) -> str:
    """The operator that a case is about; expanded cases are made of others."""
    whole = cases.get(re.sub(r"_expanded(_ver\d+)?$", "", name), cases[name])
    return str(whole.model.graph.node[-1].op_type)


def _state(case: Any) -> str:
    why = node_cases.excluded(case.name)
    model = node_cases.model_of(case)
    if model is None:
        return ""
    if why:
        return f"not run: {why}"
    try:
        node_cases.check(case, model)
    except Exception as error:
        return f"failed: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return "passed"


def share_passed(found: list[Result]) -> float:
    """Of the cases of operators on numbers, how many pass. Text and numbers of few bits are not among them."""
    others = (node_cases.NOT_NUMBERS, node_cases.SMALL_TYPES)
    counted = [r for r in found if r.state and not any(r.state.endswith(why) for why in others)]
    return sum(r.state == "passed" for r in counted) / len(counted)


def page(found: list[Result]) -> str:
    """The page."""
    rows: dict[str, list[Result]] = defaultdict(list)
    for result in found:
        if result.state:
            rows[result.operator].append(result)
    lines = []
    known = {key.partition(" before ")[0] for key in OPERATORS}
    for name in sorted(known | rows.keys()):
        of = rows.get(name, [])
        passed = sum(r.state == "passed" for r in of)
        reasons = sorted({r.state.partition(": ")[2] for r in of if r.state != "passed"})
        skipped = f"{len(of) - passed}: {'; '.join(reasons)}" if len(of) > passed else ""
        lines.append(f"| {name} | {_opsets(name) if name in known else 'no'} | {passed or ''} | {skipped} |")
    total = sum(r.state == "passed" for r in found)
    outside = sum(not r.state for r in found)
    counted = sum(bool(r.state) for r in found)
    return f"""# ONNX operators that can be loaded

The table lists the operators that `renga.onnx.load` supports ([how to load a file](../how-to/load-an-onnx-file.md)),
and how many of ONNX's own backend test cases (`onnx.backend.test`, onnx {onnx.__version__}) pass for each. The script
`docs/reference/onnx_operators.py` runs the cases and writes this page; do not edit it.

| test cases | number |
|---|---|
| all | {len(found)} |
| not in opsets {OPSETS[0]} to {OPSETS[-1]} | {outside} |
| in these opsets | {counted} |
| of these, passed | {total} |
| of these, not run (the table gives the reasons) | {counted - total} |
| passed, among cases of ordinary numbers | {share_passed(found):.1%} |

Cases of ordinary numbers are all but those about text, image files, float8, and types of fewer than eight bits. ONNX
also gives the expansion of some newer operators into older ones; such cases can pass although the operator itself
(opsets: "no") is not supported.

| operator | opsets | passed | not run, and why |
|---|---|---|---|
{chr(10).join(lines)}
"""


def _opsets(name: str) -> str:
    """The first and the last of the opsets that have the operator."""
    there = [n for n in OPSETS if onnx.defs.has(name, n) and not onnx.defs.get_schema(name, n).deprecated]
    return f"{there[0]}–{there[-1]}"


def version_on_page() -> str:
    """The version of onnx whose cases the page is about."""
    found = re.search(r"`onnx\.backend\.test`, onnx (\S+)\)", PAGE.read_text("utf-8")) if PAGE.exists() else None
    return found[1] if found else ""


def main() -> int:
    """Write the page, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    text = page(results())
    if not check:
        PAGE.write_text(text, "utf-8")
        return 0
    if text != PAGE.read_text("utf-8"):
        print(f"{PAGE.name} does not say what the tests do: run {Path(__file__).name}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
