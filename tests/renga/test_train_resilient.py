"""Runs that go on when ranks die: what a run file describes, on simulated ranks."""

import contextlib
import json
import os

import numpy as np
import pytest

import renga
from renga.distributed import build_and_run
from renga.run import build, load
from renga_distributed.simulation import Fault, simulate

RUN = """
[run]
epochs = 2
seed = 3
communicator = "resilient"
snapshot = [3, "iteration"]

[model]
use = "mlp"
n_units = 4

[data]
use = "digits"
batch_size = 500

[optimizer]
use = "adam"

[[hooks]]
use = "weight_decay"
rate = 1e-3

[[extensions]]
use = "log_report"
trigger = [1, "iteration"]

[[extensions]]
use = "print_report"
trigger = [1, "iteration"]

[[extensions]]
use = "moving_average"

[[extensions]]
use = "exponential_shift"
attr = "alpha"
rate = 0.9
trigger = [2, "iteration"]
"""


def train(path, out, settings, ranks, seed=0, faults=(), **more):
    """Train on simulated ranks; return the outcome, and the parameters of each rank that was there at the end."""

    def program(communicator):
        def made():
            # A spare learns from the others where the run writes.
            folder = out.with_name("of a spare") if communicator.is_spare else out
            return build(load(path, {"run.out": str(folder), **settings}), communicator=communicator)

        return build_and_run(communicator, made, finished)

    def finished(training):
        training.trainer.run(show_loop_exception_msg=False)
        if not training.trainer.complete:
            return None
        saving = renga.serializers.DictionarySerializer()
        saving.save(training.model)
        return {key: array.copy() for key, array in saving.target.items()}

    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        outcome = simulate(program, ranks, seed, faults, **more)
    assert outcome.problem is None
    return outcome, [found for found in outcome.results.values() if found is not None]


def log(folder):
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key != "elapsed_time"} for entry in entries]


def snapshot(folder):
    """What is in rank 0's newest snapshot, but times and what follows from them."""
    newest = max(folder.glob("snapshot_iter_*.npz"), key=lambda path: int(path.stem.split("_")[-1]))
    with np.load(newest) as arrays:
        times = {"elapsed_time", "checkpoint", *(key for key in arrays.files if key.endswith("/log"))}
        return {key: arrays[key].tolist() for key in arrays.files if key not in times}


@pytest.fixture
def run_file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(RUN)
    return path


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"distributed.overlap": True, "distributed.bucket_bytes": 100},
        {"distributed.double_buffering": True},
        {"distributed.compare_every": 1, "distributed.allreduce_grad_dtype": "bfloat16"},
        {"distributed.batch_size_per_rank": True, "data.batch_size": 200},
        {"distributed.sharded": True, "distributed.overlap": True},
    ],
)
def test_a_run_whose_ranks_are_replaced_ends_as_one_without_deaths(run_file, tmp_path, settings):
    outcome, expected = train(run_file, tmp_path / "whole", settings, 2)
    assert not outcome.errors
    points = max(outcome.points.values())
    for number, part in enumerate((0.0, 0.2, 0.45, 0.7, 0.95, 0.98)):
        out = tmp_path / f"run{number}"
        faults = [Fault(number % 2, int(part * points)), Fault(2, 30, since="recovery")]
        outcome, found = train(run_file, out, settings, 2, number, faults, spares=2)
        assert not outcome.errors
        assert len(found) == 2
        for parameters in found:
            assert {key: array.tolist() for key, array in parameters.items()} == {
                key: array.tolist() for key, array in expected[0].items()
            }
        assert log(out) == log(tmp_path / "whole")
        assert snapshot(out) == snapshot(tmp_path / "whole")
        whole, files = ({path.name for path in folder.iterdir()} for folder in (tmp_path / "whole", out))
        assert files - {"recovery.jsonl"} == whole
    assert not (tmp_path / "of a spare").exists()


def test_a_run_goes_on_with_fewer_ranks(run_file, tmp_path):
    _, expected = train(run_file, tmp_path / "whole", {}, 1)
    outcome, found = train(run_file, tmp_path / "out", {}, 3, 5, [Fault(0, 100), Fault(1, 180)])
    assert not outcome.errors
    (parameters,) = found
    for key, array in expected[0].items():
        np.testing.assert_allclose(parameters[key], array, rtol=2e-4, atol=2e-5, err_msg=key)
    entries, others = log(tmp_path / "out"), log(tmp_path / "whole")
    assert [entry["iteration"] for entry in entries] == [entry["iteration"] for entry in others]
    events = [json.loads(line) for line in (tmp_path / "out" / "recovery.jsonl").read_text().splitlines()]
    assert [(event["lost"], event["ranks"]) for event in events] == [([0], 2), ([0], 1)]


def test_the_learning_rate_follows_the_number_of_ranks_where_that_is_asked_for(run_file, tmp_path):
    text = run_file.read_text()
    run_file.write_text(text[: text.index('[[extensions]]\nuse = "exponential_shift"')])
    rates = {}

    def rate_at_the_end(asked):
        settings = {"distributed.batch_size_per_rank": True, "data.batch_size": 100}
        settings["distributed.scale_learning_rate"] = asked

        def program(communicator):
            run = load(run_file, {"run.out": str(tmp_path / "out"), **settings})
            return build_and_run(communicator, lambda: build(run, communicator=communicator), finished)

        def finished(training):
            training.trainer.run()
            return training.optimizers["main"].alpha

        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            outcome = simulate(program, 2, 0, [Fault(0, 200)])
        assert not outcome.errors
        return outcome.results[1]

    for asked in (False, True):
        rates[asked] = rate_at_the_end(asked)
    assert rates[True] == rates[False] / 2
