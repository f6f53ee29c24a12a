"""The page that says which property was checked for which function says what the tests are."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from renga_nn.functions import relu, tanh
from renga_testing.function_suite import FunctionSuite

SCRIPT = Path(__file__).parents[2] / "docs" / "reference" / "properties.py"


@pytest.mark.slow
def test_no_property_of_a_function_or_link_is_without_a_test_or_a_reason() -> None:
    run = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("properties", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class OfTanh(FunctionSuite):
    cases = {"tanh": {"function": tanh}, "relu": {"function": relu}}
    excluded = {"empty": "to see the reason"}

    def make_inputs(self, rng: Any, dtype: Any) -> Any:
        return (rng.uniform(1, 2, 3).astype(dtype),)

    def call(self, *variables: Any) -> Any:
        return self.function(*variables)  # type: ignore[attr-defined]  # a case's


def test_what_has_no_suite_is_a_hole(script: ModuleType) -> None:
    assert "function:relu: there is no suite about it" in list(script.Collected().holes())


def test_what_is_neither_tested_nor_excluded_is_a_hole(script: ModuleType) -> None:
    collected = script.Collected()
    collected.checked["function:tanh"] = set(script._properties(FunctionSuite)) - {"empty", "bad_input"}
    collected._visit(type("TestTanh", (OfTanh,), {"__module__": __name__}))
    assert [hole for hole in collected.holes() if hole.startswith("function:tanh:")] == ["function:tanh: bad_input"]


def test_a_suite_is_about_what_it_calls_and_says(script: ModuleType) -> None:
    collected = script.Collected()
    both = type("TestBoth", (OfTanh,), {"subjects": ("tanh", "relu"), "__module__": __name__})
    assert collected._subjects(both, "relu") == {"function:relu"}
    assert collected._subjects(both, None) == {"function:tanh"}
    assert collected.problems == []


@pytest.mark.parametrize(
    ("name", "attributes", "problem"),
    [
        ("TestNothing", {}, "no function has this name; set `subjects`"),
        ("TestSin", {}, "is about ['function:sin'], but calls no such thing"),
        ("TestIt", {"subjects": ("tanhh",)}, "no function is called ['tanhh']"),
    ],
)
def test_a_suite_that_is_not(script: ModuleType, name: str, attributes: dict[str, Any], problem: str) -> None:
    collected = script.Collected()
    collected._visit(type(name, (OfTanh,), {"__module__": __name__, **attributes}))
    assert problem in "\n".join(collected.problems)
