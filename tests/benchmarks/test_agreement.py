"""With oneDNN's kernels and without, the workloads compute the same; and what would not is found out."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def agreement(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("benchmarks.agreement")


def outcome(*gradient, losses=(1.0, 2.0)):
    first, *rest = gradient
    return {"losses": np.array(losses), "gradient/a": np.array([first]), "gradient/b": np.array(rest)}


def test_distances(agreement):
    exact = outcome(3.0, 4.0)
    assert agreement.distance(exact, exact) == 0
    assert agreement.distance(outcome(3.0, 5.0), exact) == pytest.approx(0.2)
    assert agreement.distance({"losses": [1]}, {"losses": [1]}) == 0
    row = agreement.compared(outcome(3.0, 4.5), outcome(3.0, 4.0, losses=(1.0, 4.0)), exact)
    assert row == pytest.approx(
        {
            "gradients, on and off": 0.1,
            "on and float64": 0.1,
            "off and float64": 0,
            "losses, on and off": 0.5,
            "losses, on and float64": 0,
            "losses, off and float64": 1,
        }
    )
    assert "| LeNet, batch 64 | 1.0e-01 | 1.0e-01 | 0.0e+00 | 5.0e-01 |" in agreement.markdown({"lenet": row})


@pytest.mark.parametrize(
    ("on", "off", "losses", "right"),
    [(2e-3, 1e-3, 1e-4, True), (4e-3, 1e-3, 1e-4, False), (9e-7, 0, 5e-4, True), (1e-7, 1e-7, 9e-4, False)],
)
def test_what_rounding_explains(agreement, on, off, losses, right):
    row = {
        "on and float64": on,
        "off and float64": off,
        "losses, on and float64": losses,
        "losses, off and float64": 2e-4,
    }
    assert agreement.agrees(row) is right


@pytest.mark.parametrize("workload", ["mlp", "lenet", "gradient_penalty"])
def test_a_workload_with_and_without(agreement, workload):
    on, off, double = (
        agreement._elsewhere(workload, 3, dtype, 1, environment)
        for dtype, environment in (("float32", {}), ("float32", agreement.OFF), ("float64", agreement.OFF))
    )
    row = agreement.compared(on, off, double)
    assert row["gradients, on and off"] < 1e-5
    assert row["losses, on and off"] < 1e-5
    assert 0 < row["off and float64"] < 1e-5  # in double precision it is another run indeed
    assert row["losses, off and float64"] < 1e-3
