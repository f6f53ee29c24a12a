"""The programs of the run files beside this distribution compute the same on `numpy` and on `torch`.

Training is not continuous: where a unit is within rounding of 0, ReLU passes a gradient on one backend and none on the
other, and from there on two runs in single precision part. So two things are shown. In double precision, whole runs
agree. In single precision, so does each step, when both backends start it from the same parameters.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from renga import using_config
from renga.run import Training, build, describe, read_run
from renga_core import random
from renga_core.settings import using_run_file

FOLDER = Path(__file__).parents[1]
PROGRAMS = ("lenet", "row_lstm", "vgg_small")
STEPS = 50


def built(program: str, backend: str, folder: Path) -> Training:
    """A run, from its file with one word changed."""
    text = (FOLDER / f"{program}.toml").read_text()
    assert tomllib.loads(text)["run"]["backend"] == "torch"
    path = folder / f"{backend}.toml"
    path.write_text(text.replace('backend = "torch"', f'backend = "{backend}"'))
    with using_run_file(read_run(str(path))):
        return build(describe())


def both(program: str, folder: Path) -> tuple[Training, Training]:
    """The run on `numpy` and on `torch`, each with its random numbers at the start."""
    first = built(program, "numpy", folder)
    drawn = random.get_state()["generators"]
    second = built(program, "torch", folder)
    state = random.get_state()
    random.set_state({**state, "generators": {**state["generators"], **drawn}})
    return first, second


def step(training: Training) -> float:
    training.trainer.updater.update()
    return float(training.model.loss.array)


@pytest.mark.parametrize("program", PROGRAMS)
def test_runs_agree_in_double_precision(program, tmp_path):
    with using_config("dtype", np.dtype("float64")):
        runs = both(program, tmp_path)
        losses = np.array([[step(run) for run in runs] for _ in range(STEPS)])
    np.testing.assert_allclose(losses[:, 1], losses[:, 0], rtol=1e-9)
    assert losses[-5:, 0].mean() < 0.8 * losses[0, 0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_steps_agree_in_single_precision(program, tmp_path):
    on_numpy, on_torch = both(program, tmp_path)
    losses = []
    for _ in range(STEPS):
        on_torch.model.copyparams(on_numpy.model)
        losses.append((step(on_numpy), step(on_torch)))
    there, here = np.array(losses).T
    np.testing.assert_allclose(here, there, rtol=2e-6)
    assert there[-5:].mean() < 0.8 * there[0]
