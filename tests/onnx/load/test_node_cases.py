"""ONNX's own test cases of operators: all that are of numbers pass, and the page of operators says so."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

onnx = pytest.importorskip("onnx", reason="reading ONNX files needs the package onnx")

SCRIPT = Path(__file__).parents[3] / "docs" / "reference" / "onnx_operators.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("onnx_operators", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_case_that_is_not_excluded_passes_and_the_page_says_so(script: ModuleType) -> None:
    """One test, for the cases take seconds to make, in each process that asks for them."""
    results = script.results()
    failures = [f"{result.name}: {result.state}" for result in results if result.state.startswith("failed")]
    assert not failures, "\n".join(failures)
    assert script.share_passed(results) >= 0.95
    if script.version_on_page() == onnx.__version__:
        assert script.page(results) == script.PAGE.read_text("utf-8"), f"run {SCRIPT.name}"
