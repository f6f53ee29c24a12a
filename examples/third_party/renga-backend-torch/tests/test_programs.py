"""The programs of the run files beside this distribution compute the same on `numpy` and on `torch`.

In single precision this can be asked of a whole run because gradients are continuous in these programs: their
activation functions are smooth, and their pooling takes means. With ReLU and max pooling two runs part, on one backend
as on two (the README has figures); of such programs each step is compared, from the same parameters.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
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
# The paper's: ReLU for the smooth functions, max pooling for average pooling.
KINKED = (
    ('activation = "tanh"', 'activation = "relu"'),
    ('activation = "elu"', 'activation = "relu"'),
    ('pooling = "average"', 'pooling = "max"'),
)


def built(program: str, backend: str, folder: Path, changes: Sequence[tuple[str, str]] = ()) -> Training:
    """A run, from its file with one word changed, and perhaps more."""
    text = (FOLDER / f"{program}.toml").read_text()
    assert tomllib.loads(text)["run"]["backend"] == "torch"
    for old, new in changes:
        text = text.replace(old, new)
    path = folder / f"{backend}.toml"
    path.write_text(text.replace('backend = "torch"', f'backend = "{backend}"'))
    with using_run_file(read_run(str(path))):
        return build(describe())


def both(program: str, folder: Path, changes: Sequence[tuple[str, str]] = ()) -> tuple[Training, Training]:
    """The run on `numpy` and on `torch`, each with its random numbers at the start."""
    first = built(program, "numpy", folder, changes)
    drawn = random.get_state()["generators"]
    second = built(program, "torch", folder, changes)
    state = random.get_state()
    random.set_state({**state, "generators": {**state["generators"], **drawn}})
    return first, second


def step(training: Training) -> float:
    training.trainer.updater.update()
    return float(training.model.loss.array)


@pytest.mark.parametrize("program", PROGRAMS)
def test_runs_agree_in_double_precision(program, tmp_path):
    double = (('backend = "torch"', 'backend = "torch"\ndtype = "float64"'),)
    with using_config("dtype", np.dtype("float64")):  # for the states that recurrent links make on the way
        runs = both(program, tmp_path, double)
        losses = np.array([[step(run) for run in runs] for _ in range(STEPS)])
    assert {p.dtype for run in runs for p in run.model.params()} == {np.dtype("float64")}
    np.testing.assert_allclose(losses[:, 1], losses[:, 0], rtol=1e-9)
    assert losses[-5:, 0].mean() < 0.8 * losses[0, 0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_runs_agree_in_single_precision(program, tmp_path):
    runs = both(program, tmp_path)
    losses = np.array([[step(run) for run in runs] for _ in range(STEPS)])
    assert {p.dtype for run in runs for p in run.model.params()} == {np.dtype("float32")}
    np.testing.assert_allclose(losses[:, 1], losses[:, 0], rtol=1e-4)
    assert losses[-5:, 0].mean() < 0.8 * losses[0, 0]


@pytest.mark.parametrize("program", ["lenet", "vgg_small"])
def test_steps_agree_with_relu_and_max_pooling(program, tmp_path):
    on_numpy, on_torch = both(program, tmp_path, KINKED)
    losses = []
    for _ in range(STEPS):
        on_torch.model.copyparams(on_numpy.model)
        losses.append((step(on_numpy), step(on_torch)))
    there, here = np.array(losses).T
    np.testing.assert_allclose(here, there, rtol=2e-6)
    assert there[-5:].mean() < 0.8 * there[0]
