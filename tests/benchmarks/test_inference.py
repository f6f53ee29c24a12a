"""The workloads of inference."""

import importlib
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])


def test_all_are_written_with_renga_frozen_and_not():
    with_renga = importlib.import_module("benchmarks.programs.inference.with_renga")
    names = [workload.name for workload in importlib.import_module("benchmarks.workloads").named("inference")]
    assert list(with_renga.PROGRAMS[""]) == list(with_renga.PROGRAMS["eager"]) == names


def test_onnxruntime_computes_what_renga_does():
    pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    worker = importlib.import_module("benchmarks.worker")
    results = []
    for library, variant in (("renga", ""), ("renga", "eager"), ("onnxruntime", "")):
        work = worker.Worker(library, variant, "inference/lenet_1")
        work.build()
        results.append(work.losses(1)[0])
    assert results == pytest.approx([results[0]] * 3, rel=1e-4)
