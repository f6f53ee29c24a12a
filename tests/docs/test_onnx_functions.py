"""docs/reference/onnx-functions.md lists the cases that are tested."""

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "onnx-functions.md"
SCRIPT = PAGE.with_name("onnx_functions.py")


def test_the_page_has_a_row_for_each_case():
    script: dict[str, object] = {"__file__": str(SCRIPT), "__name__": "script"}
    exec(compile(SCRIPT.read_text(encoding="utf-8"), SCRIPT, "exec"), script)
    rows = [line.split("|")[1].strip() for line in PAGE.read_text(encoding="utf-8").splitlines() if "| yes |" in line]
    assert rows == sorted(script["cases"]().CASES, key=str.lower), f"run {SCRIPT.name}"
