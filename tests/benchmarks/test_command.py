"""`python -m benchmarks`, from the command line to the page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
ROOT = Path(__file__).parents[2]


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=200
    )


def test_a_workload_against_numpy(tmp_path):
    done = command("overhead_1_forward", "--against", "numpy", "--rounds=1", "--seconds=0", f"--results={tmp_path}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("overhead_1_forward: renga ")
    assert done.stdout.endswith(f"written to {tmp_path}\n")
    assert {path.name for path in tmp_path.iterdir()} == {"overhead.json", "overhead.md", "overhead.png"}
    assert "| renga / numpy |" in (tmp_path / "overhead.md").read_text()


def test_the_pages_are_not_replaced_by_less():
    done = command("overhead_1_forward", "--against", "numpy", "--rounds=1", "--seconds=0")
    assert done.stdout.endswith("not written (use --results FOLDER): not all libraries ran\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["overhed"], "no workload 'overhed'; there are the groups training, "),
        (["mlp", "--against", "tensor"], "unknown library 'tensor'; there are renga numpy, renga compiled, "),
        (["mlp", "--against", "jax", "--python", "jax=/nowhere"], "no Python for jax at /nowhere"),
        (["mlp", "--python", "jax"], "'jax' is not of the form LIBRARY=INTERPRETER"),
        (["agreement", "overhead"], "no training workload 'overhead'"),
    ],
)
def test_what_cannot_be_is_refused(arguments, said):
    done = command(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
