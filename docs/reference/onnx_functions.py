"""Write onnx-functions.md: with which opsets and dtypes each function and link is exported to ONNX.

All that Renga registers is called with the inputs of the conformance kits, exported, and computed by onnxruntime for
other values: tests/support/onnx_functions.py. The tests compare this page with what they measure.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support" / "onnx_functions.py"
PAGE = Path(__file__).parent / "onnx-functions.md"

HEAD = """# Functions in ONNX

This page says which functions and links `renga.onnx.export` can write. `onnx_functions.py` writes the page; a test
measures the same again. How to export a network: [a how-to](../how-to/export-to-onnx.md).

Each function and link is called with small inputs, exported, and computed by onnxruntime for other values than those of
the export. The columns are:

- `13` to `21`: the version of ONNX's operators (opset), with float32. Outputs agree to 1e-5.
- `float64`, `float16`: the newest opset with other dtypes. Outputs agree to 1e-6 and 1e-2.
- `batch`: the first axis has a name instead of a size, and the graph computes for twice as many rows.

The entries are:

- `yes`: onnxruntime computes what Renga computes.
- `reference`: onnxruntime has no CPU kernel for this dtype. The reference implementation of the package `onnx` computes
  what Renga computes.
- `unchecked`: neither of them computes this dtype. The graph is valid.
- `no`: this is not exported. The reason is below the table.
- `-`: the function itself does not take such inputs, or its first axis is no batch.

A function of your own needs no converter if its `forward` computes with NumPy functions that Renga knows: these are
written step by step. The same holds for what a program computes with arrays, such as `F.where(x.array > 0, x, 0)`.

"""

BATCH = """
`no` in the column `batch`: the number of arrays that are taken apart or put together is fixed in a graph, so it cannot
be a named axis. `negative_sampling` calls a function of the program for its samples; those are for the sizes at hand.
"""


def support() -> ModuleType:
    """What measures."""
    spec = importlib.util.spec_from_file_location("onnx_functions_support", SUPPORT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def page(measure: ModuleType) -> str:
    """The text."""
    exported = [name for name in measure.names() if name not in measure.WITHOUT_INPUTS]
    exported = [name for name in exported if name not in measure.NOT_EXPORTED]
    rows = {name: [measure.measured(name, column) for column in measure.COLUMNS] for name in exported}
    whole = [name for name, row in rows.items() if set(row) == {"yes"}]
    lines = ["## Exported with each opset, each dtype and any batch", ""]
    for word in ("function", "link"):
        listed = [f"`{name.split()[1]}`" for name in whole if name.startswith(word)]
        lines += [f"{len(listed)} {word}s: {', '.join(listed)}.", ""]
    lines += ["## Exported with exceptions", ""]
    lines += [f"| names | {' | '.join(measure.COLUMNS)} |", "|---|" + "---|" * len(measure.COLUMNS)]
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, row in rows.items():
        if name not in whole:
            alike.setdefault(tuple(row), []).append(name)
    for row, names in alike.items():
        listed = [
            f"{word}s " + ", ".join(f"`{name.split()[1]}`" for name in names if name.startswith(word))
            for word in ("function", "link")
            if any(name.startswith(word) for name in names)
        ]
        lines.append(f"| {'; '.join(listed)} | {' | '.join(row)} |")
    lines += [BATCH, "## Not exported", "", "| name | reason |", "|---|---|"]
    lines += [f"| {name} | {reason} |" for name, reason in measure.NOT_EXPORTED.items()]
    lines += ["", "## Not called here", "", "| name | reason |", "|---|---|"]
    lines += [f"| {name} | {reason} |" for name, reason in measure.WITHOUT_INPUTS.items()]
    random = ", ".join(f"`{name.split()[1]}`" for name in sorted(measure.RANDOM))
    lines += ["", f"{random} draw random numbers; the graph draws others, with the same distribution."]
    return HEAD + "\n".join(lines) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(support()), encoding="utf-8")


if __name__ == "__main__":
    main()
