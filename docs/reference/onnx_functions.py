"""Write onnx-functions.md: with which opsets each function was exported, and equals onnxruntime.

The functions are the cases of tests/onnx/exporting/test_functions.py. Each is exported with each opset from 13 to 21,
and computed by onnxruntime for other values than those of the run that was exported.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "onnx" / "exporting" / "test_functions.py"
PAGE = Path(__file__).parent / "onnx-functions.md"
OPSETS = range(13, 22)

HEAD = """# Functions in ONNX, by opset

Written by `onnx_functions.py` from the cases of `tests/onnx/exporting/test_functions.py`; `yes` where onnxruntime
computed what Renga computes, to 1e-5, for other values than those of the run that was exported. Functions that are
composed of others need no case of their own. How to export: [a how-to](../how-to/export-to-onnx.md).

"""


def cases() -> ModuleType:
    """The module of the tests."""
    spec = importlib.util.spec_from_file_location("exported_functions", CASES)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def equal(tests: ModuleType, name: str, opset: int) -> bool:
    """Whether a case passes."""
    try:
        tests.test_same_as_in_onnxruntime(name, opset)
    except Exception as error:
        print(f"{name}, opset {opset}: {error}")
        return False
    return True


def main() -> None:
    """Write the page."""
    tests = cases()
    lines = [f"| function | {' | '.join(map(str, OPSETS))} |", "|---|" + "---|" * len(OPSETS)]
    for name in sorted(tests.CASES, key=str.lower):
        found = ["yes" if equal(tests, name, opset) else "no" for opset in OPSETS]
        lines.append(f"| {name} | {' | '.join(found)} |")
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
