"""A dynamic loss scale in captured steps: the bits, counts and scales of eager steps; the host does not wait."""

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

START = f"""
import sys, warnings
sys.path.insert(0, {str(FOLDER)!r})
warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy, where gradients overflow
from stand_in.install import install
devices = install()
import numpy as np
import pytest
from renga.optimizers import Adam, AdamW, AMSGrad, CorrectedMomentumSGD, MomentumSGD, NesterovAG, RMSprop, SGD
from renga_backend_cupy.capture import CapturedStep
from renga_optimizers.hooks import GradientClipping, GradientNoise, WeightDecay
from stand_in.scaled_steps import Training, both, require_same
"""


def program(body):
    done = subprocess.run(
        [sys.executable, "-c", START + body], capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_replays_compute_what_eager_steps_do_wherever_gradients_overflow():
    """Several in a row, in all runs before the capture, in the first replay; until the host is 16 replays behind."""
    program("""
from hypothesis import example, given, settings, strategies as st

@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(
    st.lists(st.booleans(), min_size=2, max_size=9),
    st.sampled_from(["float16", "bfloat16", "float32"]),
    st.sampled_from([{}, {"own_backward": False}, {"hooks": (GradientClipping(0.5), WeightDecay(0.1))}, {"rate": 0.1}]),
    st.sampled_from([(), (0.1, 0.01, 0.03)]),
)
@example([True, True, True, False, True, False, False], "float16", {}, ())
@example([False, False] + 8 * [True, False, False], "float16", {"rate": 0.1}, (0.1, 0.01))
def check(overflows, dtype, options, rates):
    both(overflows, dtype=dtype, rates=rates, **options)

check()
""")


def test_all_optimizers_with_kernels():
    program("""
for kind in (SGD, MomentumSGD, CorrectedMomentumSGD, NesterovAG, RMSprop, AdamW):
    both([False, True, False, False, True], optimizer=kind)
both([False, True, False, False, True], updates=2, warmup=2)
""")


def test_the_scale_is_rounded_as_the_host_rounds_it():
    """In one step also where rounding to float32 first would make a tie of float16, which goes the other way."""
    program("""
import cupy, ml_dtypes
from renga_backend_cupy.kernels.loss_scale import scale_as
between = np.arange(1, 2, 2.0**-10) + 2.0**-11
some = np.random.default_rng(0).uniform(1, 65504, 200)
for value in [*some, *between[::9], *(between[::7] + 2e-13), *(between[::7] - 2e-13)]:
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64):
        found = scale_as(cupy.array(np.array([value, 0.0])), dtype, ())
        assert found.dtype == dtype and found.get() == np.array(float(value), dtype), (value, dtype, found)
""")


def test_the_host_does_not_wait():
    """Nor for a GPU that keeps up; one that does not is waited for when it is 16 replays behind, and is not drained."""
    program("""
training = Training()
batches = [training.batch(overflow) for overflow in [False] * 3 + [True, False, False, True] + [False] * 15]
call = training.captured(*batches[0], warmup=2)
def train(some):
    devices.waits.clear(), devices.launches.clear()
    for batch in some:
        devices.uploads = 0
        call(*batch)
        assert devices.uploads == 1, devices.uploads
train(batches[:16])
assert not devices.waits, devices.waits
assert devices.launches["adjust_loss_scale"] == devices.launches["choose_numbers"] == 0  # they are in the graph
assert training.optimizer.t == training.model.l1.W.update_rule.t == 18  # as if none had been skipped
train(batches[16:])
assert devices.waits == {"Event.synchronize": 5}, devices.waits
assert training.model.l1.W.update_rule.t == 23  # of the first five replays, one has skipped its update
devices.waits.clear()
scale = training.optimizer.loss_scale
assert devices.waits == {"Event.synchronize": 1}, devices.waits
assert training.model.l1.W.update_rule.t == 22 and training.optimizer.t == 24
assert scale == training.optimizer.loss_scale
assert devices.waits == {"Event.synchronize": 1}, devices.waits
""")


def test_eager_steps_another_captured_step_snapshots_and_copies():
    """In between, and of the same optimizer: each begins with the scale and the counts that the others have left."""
    program("""
import copy, io
from renga_serializers.npz import save_npz

found = []
for captured in (False, True):
    training, states = Training(), []
    small = large = training.step
    one, two = training.batch(size=2), training.batch()
    if captured:
        small, large = training.captured(*one), training.captured(*two)
    else:
        small(*one), large(*two)
    for call, size, overflow in [
        (small, 2, True), (large, 4, False), (small, 2, False), (large, 4, True), (training.step, 4, False),
        (small, 2, True), (training.step, 2, True), (large, 4, False), (small, 2, False), (small, 2, True),
    ]:
        call(*training.batch(overflow, size))
    saved = io.BytesIO()
    save_npz(saved, training.optimizer)
    kept = copy.deepcopy(training.optimizer._dynamic_loss_scale)
    assert type(kept).__name__ == "DynamicLossScale" and kept.value == training.optimizer.loss_scale
    states.append(training.found())
    saved.seek(0)
    with np.load(saved) as arrays:
        states.append({name: arrays[name] for name in arrays if name.endswith(("/t", "loss_scale")) or name == "t"})
    assert states[-1]["loss_scale"] == kept.value and states[-1]["l1/W/t"] == training.model.l1.W.update_rule.t
    large(*training.batch(True))
    training.optimizer._dynamic_loss_scale.value = kept.value  # as loading does
    large(*training.batch()), small(*training.batch(False, 2))
    kept.adjust(True), kept.adjust(True)
    assert kept.value == training.optimizer.loss_scale
    large(*training.batch(True))
    training.optimizer.set_loss_scale(8.0)  # the counts come to the host before
    states.append(training.found())
    if captured:
        with pytest.raises(RuntimeError, match="loss scaling of the optimizer was changed after"):
            large(*two)
    training.step(*training.batch())
    training.optimizer.loss_scaling(interval=2, initial=4.0)
    training.step(*training.batch(True))
    states.append(training.found())
    found.append(states)
for eager, captured in zip(*found, strict=True):
    require_same(eager, captured)
""")


def test_a_failed_capture_leaves_the_optimizer_as_it_was():
    program("""
def refused(match, training, step=None, error=TypeError):
    batch, optimizer = training.batch(), training.optimizer
    (step or training.step)(*batch)
    before, own, scale = training.found(), set(vars(optimizer)), optimizer._dynamic_loss_scale
    grads = [(param.grad, param._loss_scale) for param in training.model.params()]
    run = step or training.step
    def once(*batch):  # what runs before the capture changes nothing
        return run(*batch) if devices.capturing() else None
    with pytest.raises(error, match=match):
        CapturedStep(once, *batch, optimizer=optimizer, warmup=1)
    assert set(vars(optimizer)) == own and optimizer._dynamic_loss_scale is scale
    for param, (grad, loss_scale) in zip(training.model.params(), grads, strict=True):
        assert param.grad is grad and param._loss_scale == loss_scale, (param.name, param._loss_scale, loss_scale)
    require_same(before, training.found())
    training.step(*batch)
    assert optimizer.t == before["t"] + 1

class Keeps:
    name = "Keeps"
    def __init__(self, array):
        self.mean = array
    def __call__(self, optimizer):
        pass

training = Training()
def fails(*batch):
    training.step(*batch)
    if devices.capturing():
        raise FloatingPointError("no")
refused("no", training, fails, FloatingPointError)
refused("AMSGrad cannot be captured as it is", Training(optimizer=AMSGrad))
refused("Keeps has arrays", Training(hooks=[Keeps(training.t)]))
refused("hooks draws random numbers", Training(hooks=[GradientNoise(0.1)]))

training = Training()
training.optimizer.add_hook(lambda optimizer: None, "after", timing="post")
refused("hook <lambda> runs after updates", training)
training = Training()
training.model.l1.W.update_rule.add_hook(lambda rule, param: None, "mine", timing="post")
refused("runs after updates", training)

training = Training()
def twice(x, factor):
    with training.using():
        loss = training.loss(x, factor)
        training.model.cleargrads()
        loss.backward(loss_scale=training.optimizer.loss_scale)
        training.optimizer.update()
        training.optimizer.update()
refused("two updates use the same gradient of", training, twice)

training = Training()
def computes(x, factor):
    with training.using():
        loss = training.loss(x, factor) * float(training.optimizer.loss_scale)
refused("host cannot compute", training, computes)

training = Training()
def old(x, factor):
    with training.using():
        scale = training.optimizer.loss_scale
        for _ in range(2):
            loss = training.loss(x, factor)
            training.model.cleargrads()
            loss.backward(loss_scale=scale)
            training.optimizer.update()
refused("read before the last update", training, old)

training = Training()
def adds(x, factor):
    with training.using():
        training.model.cleargrads()
        training.loss(x, factor).backward()
        training.loss(x, factor).backward(loss_scale=training.optimizer.loss_scale)
        training.optimizer.update()
refused("gradients of two loss scales", training, adds)

training = Training()
def none(x, factor):
    with training.using():
        training.loss(x, factor).backward(loss_scale=training.optimizer.loss_scale)
refused("it must call .GradientMethod.update", training, none)
""")
