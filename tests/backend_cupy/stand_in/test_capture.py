"""Whole training steps captured as graphs on the strict stand-in: nothing refuses, replays are as eager steps."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None or platform.machine() != "x86_64", reason="no g++ for x86-64, to compile kernels with"
)

PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
from stand_in.install import install
install()
import numpy as np
from renga_core import random
from renga_core.backend import to_host
from renga_backend_cupy.capture import CapturedStep
from renga_optimizers.hooks.gradient_clipping import GradientClipping
from stand_in import steps

losses = []
for captured in (False, True):
    random.seed(0)
    step = steps.STEPS[{name!r}]({dtype!r})
    if {clipped!r}:
        step.optimizer.add_hook(GradientClipping(0.5))
        step.optimizer.set_loss_scale(16.0)
    if captured:
        call = CapturedStep(step, optimizer=step.optimizer, warmup=2)
    else:
        call = step
        step(), step()
    losses.append([])
    for number in range(4):
        step.optimizer.lr *= 1 + number
        losses[-1].append(float(to_host(call())))
assert len(set(losses[0])) == 4
np.testing.assert_array_equal(losses[1], losses[0])
"""


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(
    "name", ["MLP", "ResNet block", "transformer block", "LSTM of 4 steps", "critic of DCGAN with penalty"]
)
def test_replays_compute_what_eager_steps_do(name, dtype):
    """With another learning rate each time; the transformer's gradients are divided by a loss scale, and clipped."""
    program = PROGRAM.format(folder=str(FOLDER), name=name, dtype=dtype, clipped=name.startswith("transformer"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
