"""What cannot be compiled stays as it is, and `explain` says why where all of a step does."""

from __future__ import annotations

import logging
import sys

import numpy as np
import pytest

import renga
import renga.functions as F
from renga import Parameter
from renga_compile.fused import compiling

pytest.importorskip("numba", reason="the compiler `fused` needs numba")


def step_of(w):
    def step(x):
        w.cleargrad()
        y = F.tanh(x * w + w) * 2
        F.sum(y * y).backward()
        return y

    return step


def outcome(step, w, x, calls=4):
    for _ in range(calls):
        y = step(x)
    return y.array, w.grad


def assert_same_as_ordinary(array, x):
    found = []
    for wrap in (lambda step: renga.compile(step, "fused"), lambda step: step):
        w = Parameter(array.copy(order="K"))
        step = wrap(step_of(w))
        found.append(outcome(step, w, x))
        if hasattr(step, "explain"):
            explained = step.explain()
    for mine, right in zip(*found, strict=True):
        assert mine.dtype == right.dtype
        np.testing.assert_allclose(mine, right, rtol=1e-6)
    return explained


def test_without_numba_it_is_replayed(monkeypatch, tmp_path):
    monkeypatch.setenv("RENGA_NUMBA_CACHE", str(tmp_path))
    compiling._compiled.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    explained = assert_same_as_ordinary(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32))
    assert explained == "replayed, but not fused: numba is not installed. Next: pip install 'renga[numba]'"


def test_an_error_of_numba_is_a_reason(monkeypatch):
    def broken(source, signature):
        raise RuntimeError("LLVM is broken\nmore")

    monkeypatch.setattr(compiling, "compiled", broken)
    explained = assert_same_as_ordinary(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32))
    assert explained == "replayed, but not fused: RuntimeError: LLVM is broken"


@pytest.mark.parametrize(
    "array",
    [
        np.ones((2, 3), np.float16),
        np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3)),
        np.ones((0, 3), np.float32),
    ],
    ids=["float16", "Fortran order", "empty"],
)
def test_arrays_that_loops_cannot_use(array):
    x = np.full(array.shape, 0.5, array.dtype)
    assert "replayed" in assert_same_as_ordinary(array, x)


def test_machine_code_is_kept_and_a_compilation_is_logged(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("RENGA_NUMBA_CACHE", str(tmp_path))
    x = np.ones((3, 2), np.float32)
    for number in range(2):
        compiling._compiled.cache_clear()
        caplog.clear()
        with caplog.at_level(logging.WARNING, "renga.compile"):
            assert_same_as_ordinary(np.ones((3, 2), np.float32), x)
        assert ["kept in" in record.getMessage() for record in caplog.records] == [True] * (1 - number)
        monkeypatch.setitem(sys.modules, "numba", None)  # what is on disk needs none
    assert list((tmp_path / "fused").glob("*.o"))


def test_a_parameter_whose_memory_order_changes():
    w = Parameter(np.arange(6, dtype=np.float32).reshape(2, 3))
    step, x = renga.compile(step_of(w), "fused"), np.ones((2, 3), np.float32)
    right = outcome(step, w, x)
    w.array = np.asfortranarray(w.array)
    for mine, before in zip(outcome(step, w, x, calls=1), right, strict=True):
        np.testing.assert_array_equal(mine, before)


def test_a_gradient_that_loops_cannot_use():
    found = []
    for wrap in (lambda step: renga.compile(step, "fused"), lambda step: step):
        w = Parameter(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))

        @wrap
        def step(x, w=w):
            w.cleargrad()
            F.sum(F.matmul(F.transpose(F.tanh(w * 2)), x)).backward()

        for _ in range(5):
            step(np.arange(8, dtype=np.float32).reshape(2, 4))
        found.append(w.grad)
    np.testing.assert_allclose(*found, rtol=1e-6)
