"""Renga on the strict stand-in, each time in a process of its own: kits, training steps, the plugin's transfers."""

import importlib.util
import json
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None or platform.machine() != "x86_64", reason="no g++ for x86-64, to compile kernels with"
)

MOST_LAUNCHES = {
    "float32": {"MLP": 21, "ResNet block": 41, "transformer block": 66, "LSTM of 4 steps": 110},
    "float16": {"MLP": 23, "ResNet block": 52, "transformer block": 72, "LSTM of 4 steps": 118},
}
"""Of the plugin when this was written: a step may need fewer. See `launches.py`."""


def run(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def program(body):
    return run("-c", f"import sys; sys.path.insert(0, {str(HERE.parent)!r})\n"
               f"from stand_in.install import install\ndevices = install()\n{body}")  # fmt: skip


def test_the_backend_passes_its_kit():
    out = program("from renga.cli import main\nsys.exit(main(['check', 'array_backend:cupy']))")
    assert "failed 0" in out.splitlines()[-1]


@pytest.mark.parametrize("dtype", sorted(MOST_LAUNCHES))
def test_training_steps_launch_no_more_kernels_than_before(dtype):
    counts = json.loads(run(str(HERE / "launches.py"), "--json", "--dtype", dtype))
    assert len(counts) == 5
    for name, most in MOST_LAUNCHES[dtype].items():
        assert sum(counts[name]["launches"].values()) <= most, name
        assert counts[name]["uploads"] == 0, name


def test_half_precision_is_updated_in_one_launch():
    """Gradients are divided by the loss scale, copies refreshed, updated, and rounded: of 100 parameters or 600.

    A loss scale that adapts needs two more, and the host waits once to learn whether all gradients are finite. Clipping
    needs five: gradients are converted first, then their norm is computed and applied.
    """
    program("""
import numpy as np
from renga_core.backend import get_device
from renga_core.link import Link
from renga_optimizers import Adam
from renga_optimizers.hooks.gradient_clipping import GradientClipping
send = get_device("cupy:0").send
link = Link(**{f"p{i}": ((i % 5 + 1, 3), np.float16) for i in range(120)})
link.to_device("cupy:0")
optimizer = Adam()
optimizer.use_fp32_update()
optimizer.loss_scaling(scale=128.0)
optimizer.setup(link)
for step in range(3):
    for param in link.params():
        param.array[...] = 1
        param.grad = send(np.ones(param.shape, np.float16))
    devices.launches.clear(), devices.waits.clear()
    optimizer.update()
    if step == 1:
        assert devices.launches.total() == 1, devices.launches
        assert not devices.waits, devices.waits
        optimizer.loss_scaling(initial=128.0)
assert devices.launches.total() == 3, devices.launches
assert devices.waits.total() == 1, devices.waits
optimizer.add_hook(GradientClipping(1.0))
devices.launches.clear()
optimizer.update()
assert devices.launches.total() == 8, devices.launches
before = link.p0.array.get()
param.grad[0, 1] = np.inf
optimizer.update()
assert optimizer.loss_scale < 128, optimizer.loss_scale
assert (link.p0.array.get() == before).all()
""")


def test_reported_scalars_are_copied_and_nothing_waits_until_the_means_are_read():
    program("""
import numpy as np
from renga import Variable
from renga_core.backend import get_device
from renga_training.summary import DictSummary
send = get_device("cupy:0").send
values = np.random.default_rng(0).normal(size=600).astype(np.float32)
loss, there, here = send(np.zeros((), np.float32)), DictSummary(), DictSummary()
losses = [send(np.asarray(value)) for value in values]
devices.launches.clear(), devices.waits.clear()
for i, value in enumerate(losses):
    loss[...] = value  # as a captured step, whose next call overwrites its results
    there.add({"loss": (Variable(loss), 3) if i % 2 else loss})
    here.add({"loss": (values[i], 3) if i % 2 else values[i]})
launches = devices.launches.total() - 600
assert launches <= 600 + 2, devices.launches
assert not devices.waits, devices.waits
assert there.make_statistics() == here.make_statistics()
assert devices.waits.total() <= 3, devices.waits
""")


def test_training_steps_compute_what_numpy_computes():
    """Losses of three steps, on the stand-in and on NumPy; without dropout, which draws other numbers on a GPU."""
    out = program("""
import numpy as np
from renga_core.backend import to_host
from stand_in import steps
class WithoutDropout:
    functions, dropout = steps.F, staticmethod(lambda x, ratio: x)
    dropout_add = staticmethod(lambda x, residual, ratio: residual + x)
    def __getattr__(self, name):
        return getattr(self.functions, name)
steps.F = WithoutDropout()
for name, make in steps.STEPS.items():
    losses = []
    for device in ("cupy:0", "numpy"):
        steps.DEVICE = device
        step = make("float32")
        losses.append([float(to_host(step())) for _ in range(3)])
    np.testing.assert_allclose(*losses, rtol=2e-4, err_msg=name)
    print(name, losses)
""")
    assert len(out.splitlines()) == 5


def test_transfers_have_no_races():
    """Batches uploaded ahead, results fetched late, copies between devices: with memory that is used again."""
    program("""
import numpy as np
import cupy
from renga_backend_cupy.transfers import fetch, prefetch
from renga_core.backend import get_backend
batches = [(np.full((64, 8), n, np.float32),) for n in range(10)]
sums = [fetch((x * 2).sum(axis=1)) for (x,) in prefetch(batches)]
for n, fetched in enumerate(sums):
    np.testing.assert_array_equal(fetched.get(), np.full(64, 16.0 * n))
backend = get_backend("cupy")
for _ in range(3):
    x = backend.asarray(np.arange(6.0).reshape(2, 3), 0) * 2
    y = backend.asarray(x.T, 1)  # not contiguous: it is copied once more before it leaves
    with cupy.cuda.Device(1):
        np.testing.assert_array_equal((y + 1).get(), np.arange(6.0).reshape(2, 3).T * 2 + 1)
""")


@pytest.mark.skipif(importlib.util.find_spec("cupy") is None, reason="CuPy is not installed")
def test_the_tables_are_those_of_the_cupy_that_is_installed():
    made = json.loads(run("-c", f"import sys, json; sys.path.insert(0, {str(HERE)!r})\n"
                          "from make_tables import tables; print(json.dumps(tables()))"))  # fmt: skip
    kept = json.loads((HERE / "cupy_tables.json").read_text())
    if made["version"] != kept["version"]:
        pytest.skip(f"the tables are of CuPy {kept['version']}, and {made['version']} is installed: run make_tables.py")
    assert made == kept
