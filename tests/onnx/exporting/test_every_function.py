"""All functions and links that Renga registers are exported, and compute in onnxruntime what they compute in Renga.

What is not exported stands in a table with a reason: a new function without a converter and without a reason fails.
"""

import re
from pathlib import Path

import pytest

import renga
from renga_core.errors import RengaError

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
pytest.importorskip("onnxruntime", reason="pip install onnxruntime")

import onnx_functions as measure

from renga_onnx import export

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "onnx-functions.md").read_text(encoding="utf-8")
NAMES = [name for name in measure.names() if name not in measure.WITHOUT_INPUTS]
MEASURED = ("13", "21", "float64", "float16", "batch")
"""The columns that are measured again; the page has the other opsets, too."""


def said() -> dict[str, dict[str, str]]:
    """What the page says: a column's entry, by name and column."""
    found = {}
    first, rest = PAGE.split("## Exported with exceptions")
    table, _ = rest.split("## Not exported")
    for line in first.splitlines():
        if listed := re.fullmatch(r"\d+ (function|link)s: (.*)\.", line):
            for name in re.findall(r"`(\w+)`", listed[2]):
                found[f"{listed[1]} {name}"] = dict.fromkeys(measure.COLUMNS, "yes")
    for line in table.splitlines()[4:]:
        if line.startswith("|"):
            listed, *entries = [cell.strip() for cell in line.strip("|").split("|")]
            for word, names in re.findall(r"(function|link)s ([^;]*)", listed):
                for name in re.findall(r"`(\w+)`", names):
                    found[f"{word} {name}"] = dict(zip(measure.COLUMNS, entries, strict=True))
    return found


SAID = said()


def test_the_page_has_all():
    assert set(SAID) == set(NAMES) - set(measure.NOT_EXPORTED)
    for name, reason in {**measure.NOT_EXPORTED, **measure.WITHOUT_INPUTS}.items():
        assert f"| {name} | {reason} |" in PAGE


def test_no_opset_is_missing():
    """Whatever a function's dtypes and axes are: float32 is exported with each opset."""
    wrong = [name for name, row in SAID.items() for opset in measure.OPSETS if row[str(opset)] != "yes"]
    assert not wrong


@pytest.mark.parametrize("column", MEASURED)
@pytest.mark.parametrize("name", SAID)
def test_as_the_page_says(name, column):
    found, why = measure.compared(name, column)
    assert found == SAID[name][column], why


@pytest.mark.parametrize("name", measure.NOT_EXPORTED)
def test_what_is_not_exported(name):
    sample = measure.Sample(name, "float32")
    how = pytest.warns(UserWarning, match="The export follows the run")
    if name not in measure.WITH_A_WARNING:
        how = pytest.raises(RengaError, match="Next: ")
    with renga.using_config("train", False), how:
        export(sample, sample.inputs(0))
