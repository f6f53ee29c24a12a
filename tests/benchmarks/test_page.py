"""Tables and pictures of what was measured."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MIB = 2**20


@pytest.fixture
def benchmarks(monkeypatch):
    """Modules of the benchmarks by name."""
    monkeypatch.syspath_prepend(ROOT)
    return lambda name: importlib.import_module(f"benchmarks.{name}")


def entry(milliseconds=(), imported=0, peak=0, problem="", library="renga"):
    there = {
        "imported": imported * MIB,
        "peak": peak * MIB,
        "problem": problem,
        "versions": {"Python": "3", library: "1"},
    }
    if milliseconds:
        there |= {"minimum": milliseconds[0] / 1e3, "median": milliseconds[1] / 1e3}
    return there


@pytest.fixture
def records():
    mlp = {
        "renga": entry((5, 6), 40, 100),
        "torch": entry((10, 10), 200, 260, library="torch"),
        "jax": entry(problem="results 2 instead of 1", library="jax"),
    }
    lenet = {"renga": entry((250, 260), 40, 140), "jax": entry(problem="trace\nit ended", library="jax")}
    about = {"date": "2026-01-02", "machine": "a processor, 2 cores", "threads": 2}
    return {"lenet": {**about, "entries": lenet}, "mlp": {**about, "entries": mlp}}


def rows(text, title):
    """Of the table below a title: the heading, and the cells of each row by its name."""
    lines = [line for line in text.partition(f"## {title}\n")[2].partition("\n## ")[0].splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return cells[0][1:], {row[0]: row[1:] for row in cells[2:]}


def test_page(benchmarks, records):
    text = benchmarks("page").markdown("training", records)
    assert (
        "2026-01-02, on a processor, 2 cores, 2 threads each, float32. renga 1 (Python 3), torch 1 (Python 3)" in text
    )
    mlp, lenet = (benchmarks("workloads").WORKLOADS[name].title for name in ("mlp", "lenet"))
    assert rows(text, "Time, ratios") == (["renga / torch"], {mlp: ["0.50 (0.60)"], lenet: ["–"]})
    assert rows(text, "Time") == (
        ["renga", "torch", "jax"],
        {mlp: ["5 ms (6)", "10 ms (10)", "**wrong**"], lenet: ["250 ms (260)", "–", "**failed**"]},
    )
    assert rows(text, "Peak memory, ratios") == (["renga / torch"], {mlp: ["0.38 (1.00)"], lenet: ["–"]})
    assert rows(text, "Peak memory")[1][mlp] == ["100 (60)", "260 (60)", "**wrong**"]
    assert text.endswith(f"## What went wrong\n\n- {mlp}, jax: results 2 instead of 1\n- {lenet}, jax: it ended\n")
    assert text.index(mlp) < text.index(lenet)  # the order is that of the workloads


def test_line_for_the_terminal(benchmarks, records):
    assert benchmarks("page").short("mlp", records["mlp"]) == "mlp: renga 5 ms, torch 10 ms [0.50], jax **wrong**"


def test_times_are_those_of_an_operation(benchmarks):
    record = {"entries": {"renga": entry((0.4, 0.5))}}
    assert benchmarks("page").short("overhead_1", record) == "overhead_1: renga 2 µs"


def test_picture(benchmarks, records, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "results" / "training.png"
    benchmarks("picture").draw("training", records, path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_page_tells_the_load_of_the_machine(benchmarks, records):
    records["mlp"]["load"], records["lenet"]["load"] = 3.2, 19.7
    assert ", float32; load of the machine 3 to 20. renga 1" in benchmarks("page").markdown("training", records)


def test_a_later_run_replaces_its_workloads_only(benchmarks, records, tmp_path):
    kept = benchmarks("records")
    assert kept.load("training", tmp_path) == {}
    kept.store("training", tmp_path, records)
    again = kept.record({"renga": benchmarks("race").Entry([0.5, 0.7, 0.9])}, threads=2)
    kept.store("training", tmp_path, kept.load("training", tmp_path) | {"mlp": again})
    found = kept.load("training", tmp_path)
    assert found["lenet"] == records["lenet"]
    assert found["mlp"]["entries"]["renga"]["median"] == 0.7


def test_a_name_is_a_workload_or_a_group(benchmarks):
    workloads = benchmarks("workloads")
    assert [w.name for w in workloads.named("mlp")] == ["mlp"]
    assert [w.name for w in workloads.named("overhead")] == [
        "overhead_1_forward",
        "overhead_1",
        "overhead_32_forward",
        "overhead_32",
    ]
    assert workloads.named("mlpp") == []
    assert {w.group for w in workloads.WORKLOADS.values()} == set(workloads.GROUPS)
