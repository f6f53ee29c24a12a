"""The benchmark of training steps on a GPU, as far as it goes without one."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from renga_testing.every_backend import ready_backends

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.chdir(ROOT)


def module(name):
    return importlib.import_module(f"benchmarks.gpu.{name}")


@pytest.mark.torch
def test_both_libraries_train_the_same_networks():
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "benchmarks", "gpu", "--device", "numpy", "--tiny"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the losses of 5 steps agree") == 2
    assert "speed not measured: no GPU" in done.stdout


@pytest.mark.torch
def test_another_step_size_shows_in_the_losses(monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr(module("with_torch"), "ALPHA", 1.01e-4)
    for size in module("sizes").TINY:
        with pytest.raises(AssertionError, match=f"{size.name} in float64"):
            module("command").compare_losses(size, "numpy", "cpu", "float64")


def test_without_a_gpu_it_says_so(capsys):
    if "cupy" in ready_backends():
        pytest.skip("there is a GPU")
    assert module("command").main([]) == 0
    assert capsys.readouterr().out.startswith("not run: no GPU. array_backend 'cupy'")


def event(start, length, cat="kernel"):
    return {"cat": cat, "ts": start, "dur": length, "name": "x"}


@pytest.mark.parametrize(
    ("events", "part"),
    [
        ([], 0),
        ([event(0, 10)], 1),
        ([event(0, 10), event(30, 10)], 0.5),
        ([event(0, 10), event(5, 10, "gpu_memcpy"), event(15, 5)], 1),
        ([event(0, 40), event(10, 5), event(60, 20, "gpu_memset")], 0.75),
        ([event(0, 10), event(100, 10, "cpu_op"), {"name": "no span"}], 1),
    ],
)
def test_share_of_the_time_in_kernels(events, part):
    assert module("instruments").busy(events) == pytest.approx(part)


def test_table():
    command = module("command")
    text = command.table([command.Row("renga", 0.02, 0.5, 2**21), command.Row("torch", 0.01, 0.95, 2**20)])
    assert text.splitlines()[2:] == [
        "| renga | 20.00 ms | 2.00 | 50% | 2 MiB |",
        "| torch | 10.00 ms | 1.00 | 95% | 1 MiB |",
    ]
