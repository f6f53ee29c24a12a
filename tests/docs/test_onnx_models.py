"""docs/reference/onnx-models.md has a row for each network, which says what the tests say."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

SCRIPT = Path(__file__).parents[2] / "docs" / "reference" / "onnx_models.py"


def test_the_page_says_what_the_tests_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # which the script adds to
    spec = importlib.util.spec_from_file_location("onnx_models", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    text = script.PAGE.read_text("utf-8")
    assert text.startswith(script.HEAD), f"run {SCRIPT.name}"
    header, _, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    for row, (name, model) in zip(rows, script.MODELS.items(), strict=True):
        expected = script.qualities(name, model)
        assert {column: row[column] for column in expected} == expected, f"run {SCRIPT.name}"
        assert max(float(row["onnxruntime"]), float(row["loaded"])) <= model.tolerance
        assert float(row["gradients"]) <= 1e-6
