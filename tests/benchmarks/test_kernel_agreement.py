"""Kernels are compared with double precision; a wrong one, and one that hides NaN, are found."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from renga_core.kernel import Implementation
from renga_nn.functions.activation.softmax import Softmax

ROOT = Path(__file__).parents[2]


@pytest.fixture
def comparison(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("benchmarks.kernel_agreement")


@pytest.mark.parametrize(("factor", "right"), [(1, True), (1 + 1e-4, False), (np.nan, False)])
def test_a_kernel_beside_the_reference(comparison, factor, right):
    operation = Softmax.operation
    reference = operation.reference

    def forward(x, axis):
        return reference.forward(x, axis) * x.dtype.type(factor)

    kernel = Implementation("mine", forward, reference.backward)
    large = importlib.import_module("benchmarks.kernel_arguments").large_arguments()["softmax"]
    row = comparison._outcome(operation, kernel, large) | {"threads": True, "again": True}
    assert row["samples"] > 5
    assert comparison.agrees("softmax mine:mine", row) is right


def test_bits(comparison):
    row = {"samples": 1, "kernel": 0.0, "reference": 0.0, "threads": False, "again": True}
    assert comparison.agrees("a onednn:b", row)
    assert not comparison.agrees("a numba:b", row)
    assert not comparison.agrees("a onednn:b", row | {"again": False})
    assert "| a | numba:b | 1 | 0.0e+00 | 0.0e+00 | **other bits** | equal |" in comparison.markdown({"a numba:b": row})
