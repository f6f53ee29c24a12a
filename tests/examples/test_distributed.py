"""The examples on several processes, for a few epochs, on ranks that MPI connects."""

import importlib.util
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "distributed"


def run_program(name, changes, stop_at=None):
    """One of the programs, in this process; with `stop_at`, an error ends it before that many updates are made."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    class Updater(module.StandardUpdater):
        def update(self):
            if self.iteration == stop_at:
                raise RuntimeError("stopped on purpose")
            super().update()

    module.StandardUpdater = Updater
    return module.main(**tomllib.loads((FOLDER / "config.toml").read_text()) | {"epochs": 4, "units": 32} | changes)


def log(folder):
    entries = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{key: value for key, value in entry.items() if key != "elapsed_time"} for entry in entries]


@pytest.mark.parametrize(("name", "size"), [("data_parallel", 2), ("dual_parallel", 4)])
def test_all_processes_learn(rank_pool, tmp_path, name, size):
    found = rank_pool(size).run(run_program, name, {"out": str(tmp_path)}, timeout=120)
    assert len(set(found)) == 1
    assert found[0] > 0.85
    assert (tmp_path / "log.jsonl").exists()


def test_layers_on_two_processes_are_those_of_one(rank_pool, tmp_path):
    changes = {"out": str(tmp_path)}
    alone = run_program("model_parallel", changes | {"communicator": "single"})
    assert rank_pool(2).run(run_program, "model_parallel", changes) == [alone] * 2
    assert alone > 0.85


def test_another_number_of_processes_goes_on(rank_pool, tmp_path):
    changes = {"out": str(tmp_path), "epochs": 6}
    stopped = rank_pool(2).run(run_program, "data_parallel", changes, 125)
    assert [str(error) for error in stopped] == ["stopped on purpose"] * 2
    before = log(tmp_path)
    assert [entry["epoch"] for entry in before] == [1, 2, 3, 4, 5]
    assert min(rank_pool(4).run(run_program, "data_parallel", changes, timeout=120)) > 0.85
    after = log(tmp_path)
    assert after[:5] == before
    assert [entry["epoch"] for entry in after[5:]] == [6]
    assert not list(tmp_path.glob("data_parallel.*"))  # what is not needed any more
