"""What a library's process answers, asked within this one."""

from __future__ import annotations

import importlib
import importlib.metadata
import io
import json
import sys
import types
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def worker(monkeypatch):
    """The module, and a library `toy` whose results grow by one in each step."""
    monkeypatch.syspath_prepend(ROOT)
    worker = importlib.import_module("benchmarks.worker")
    toy = types.ModuleType("benchmarks.programs.with_toy")
    toy.built = []

    def build():
        toy.built.append(0)

        def step():
            toy.built[-1] += 1
            return np.float32(toy.built[-1])

        return step

    def broken():
        raise RuntimeError("no memory")

    toy.PROGRAMS = {
        "": {"grows": build, "broken": broken, "pair": lambda: lambda: (np.ones((3, 1)), np.full(1, 5.0))},
        "best": {},
    }
    toy.to_numpy = np.asarray
    monkeypatch.setitem(sys.modules, toy.__name__, toy)
    monkeypatch.setattr(importlib.metadata, "version", lambda name: f"{name} 1.0")
    worker.toy = toy
    return worker


def answers(worker, workload, *requests, variant=""):
    found = io.StringIO()
    lines = [json.dumps(request) + "\n" for request in requests]
    worker.serve(worker.Worker("toy", variant, workload), lines, found)
    return [json.loads(line) for line in found.getvalue().splitlines()]


def test_a_workload_from_start_to_end(worker):
    start, built, losses, times, memory = (
        answer["result"]
        for answer in answers(
            worker,
            "grows",
            {"do": "start"},
            {"do": "build"},
            {"do": "losses", "count": 3},
            {"do": "run", "seconds": 0.02},
            {"do": "memory"},
        )
    )
    assert start["there"]
    assert start["versions"]["toy"] == "toy 1.0"
    assert losses == [1, 2, 3]
    assert min(times) > 0
    assert 1e6 < start["memory"] <= built <= memory


def test_a_turn_is_at_least_one_step_of_those_that_are_short_many(worker):
    (_, times) = answers(worker, "grows", {"do": "build"}, {"do": "run", "seconds": 0})
    assert len(times["result"]) == 1
    assert worker.toy.built[-1] > 100  # in five milliseconds


def test_what_a_library_has_not_is_not_there(worker):
    (start,) = answers(worker, "grows", {"do": "start"}, variant="best")
    assert not start["result"]["there"]


def test_an_error_is_an_answer_and_others_follow(worker):
    broken, start = answers(worker, "broken", {"do": "build"}, {"do": "start"})
    assert "RuntimeError: no memory" in broken["error"]
    assert start["result"]["there"]


def test_of_what_is_no_loss_the_root_of_the_mean_square(worker):
    (_, losses) = answers(worker, "pair", {"do": "build"}, {"do": "losses", "count": 1})
    assert losses["result"] == [pytest.approx(((3 * 1 + 25) / 4) ** 0.5)]
