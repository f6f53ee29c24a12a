"""Libraries side by side, in processes of their own: here NumPy and Renga with what each needs no other package for."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUICK = {"rounds": 2, "seconds": 0.0, "threads": 1}


@pytest.fixture
def benchmarks(monkeypatch):
    """Modules of the benchmarks by name."""
    monkeypatch.syspath_prepend(ROOT)
    return lambda name: importlib.import_module(f"benchmarks.{name}")


@pytest.fixture
def race(benchmarks):
    return benchmarks("race")


def contestants(benchmarks, *names):
    every = benchmarks("contestants").CONTESTANTS
    return {name: (every[name], sys.executable) for name in names}


def test_all_do_the_same_in_turns(benchmarks, race):
    workload = benchmarks("workloads").WORKLOADS["overhead_1_forward"]
    entries = race.race(workload, contestants(benchmarks, "renga", "numpy"), **QUICK)
    assert list(entries) == ["renga", "numpy"]
    for name, entry in entries.items():
        assert entry.problem == ""
        assert len(entry.seconds) == 2
        assert len(entry.losses) == race.LOSSES
        assert 0 < entry.imported <= entry.built <= entry.peak
        assert {"Python", name} <= set(entry.versions)
    assert entries["numpy"].losses == pytest.approx(entries["renga"].losses)


def test_who_has_not_the_workload_is_left_out(benchmarks, race):
    workload = benchmarks("workloads").WORKLOADS["overhead_1"]
    assert list(race.race(workload, contestants(benchmarks, "renga", "numpy"), **QUICK)) == ["renga"]


def test_other_results_are_not_timed(benchmarks, race, monkeypatch):
    workload = benchmarks("workloads").WORKLOADS["overhead_1_forward"]
    monkeypatch.setattr(race, "compared", lambda losses, expected, tolerance: "results 2 instead of 1")
    entries = race.race(workload, contestants(benchmarks, "renga", "numpy"), **QUICK)
    assert entries["numpy"].problem == "results 2 instead of 1"
    assert entries["numpy"].record() == {
        "losses": entries["numpy"].losses,
        "imported": entries["numpy"].imported,
        "built": entries["numpy"].built,
        "peak": 0,
        "versions": entries["numpy"].versions,
        "problem": "results 2 instead of 1",
    }


@pytest.mark.parametrize(
    ("losses", "right"),
    [
        ([1.0, 2.0], True),
        ([1.0, 2.0009], True),
        ([1.0, 2.003], False),
        ([1.0], False),
        ([1.0, float("nan")], False),
    ],
)
def test_results_are_the_same_to_the_tolerance(race, losses, right):
    assert (race.compared(losses, [1.0, 2.0], 1e-3) == "") is right


def test_a_process_that_cannot_start_has_failed(benchmarks, race):
    process = race.Process(benchmarks("contestants").CONTESTANTS["numpy"], "nowhere/mlp", sys.executable, 1)
    with pytest.raises(race.Failed, match="numpy: its process ended with status 1"):
        process.ask("start")
    process.close()


def test_what_a_process_raises_is_said(benchmarks, race):
    process = race.Process(benchmarks("contestants").CONTESTANTS["numpy"], "mlp", sys.executable, 1)
    with pytest.raises(race.Failed, match=r"Traceback[^$]*AssertionError"):
        process.ask("build")
    process.close()


def test_of_times_minimum_and_median_are_kept(race):
    record = race.Entry(seconds=[0.3, 0.1, 0.2, 0.9]).record()
    assert (record["minimum"], record["median"]) == (0.1, 0.25)
    assert "seconds" not in record


def test_imports_are_timed_in_fresh_processes(benchmarks, race):
    entries = race.race_imports(contestants(benchmarks, "numpy", "renga", "renga numpy"), rounds=2, threads=1)
    assert list(entries) == ["numpy", "renga"]
    assert all(len(entry.seconds) == 2 and entry.peak > 1e6 for entry in entries.values())


def test_everyone_starts_once(race):
    assert [race._rotated(["a", "b", "c"], i) for i in range(3)] == [
        ["a", "b", "c"],
        ["b", "c", "a"],
        ["c", "a", "b"],
    ]
    assert race._rotated([], 1) == []
