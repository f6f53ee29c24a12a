"""The same arguments give the same bits: in one process whatever came before, and in another one."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_kernels_onednn.library import without_bfloat16
from renga_kernels_onednn.plugin import renga_kernels
from renga_testing.suites import KernelSuite

KERNELS = {
    kernel.name: kernel
    for kernel in renga_kernels()
    if "bfloat16" not in kernel.capabilities or without_bfloat16() is None
}


def dtype_of(name):
    """float32, or bfloat16 for the kernels of that."""
    if "float32" in KERNELS[name].capabilities:
        return np.dtype(np.float32)
    return np.dtype(pytest.importorskip("ml_dtypes", reason="NumPy has bfloat16 from this package only").bfloat16)


def calls(name):
    """Calls of a kernel, forward and back, on what it supports of the samples; each can be made again and again."""
    suite = type(name, (KernelSuite,), {"provider": f"onednn:{name}"})()
    kernel, backend = suite.kernel, get_backend("numpy")
    dtype = dtype_of(name)
    for sample in suite.samples(np.random.default_rng(0), dtype):
        if not kernel.supports(*sample.args):
            continue

        def call(sample=sample):
            args = [x.copy() if i in sample.changed else x for i, x in enumerate(sample.args)]
            with np.errstate(invalid="ignore"):  # of infinities, which the reference computes
                y = kernel.forward(*args)
            if kernel.backward is None:
                return arrays_in(y)
            shape = (y[0] if isinstance(y, (tuple, list)) else y).shape
            gy = backend.asarray(np.random.default_rng(1).uniform(-1, 1, shape).astype(dtype))
            # Before the gradients are computed, as they may overwrite it.
            forward = [np.array(x) for x in arrays_in(y)]
            return [*forward, *arrays_in(kernel.backward(*sample.backward(sample.args, y, gy)))]

        yield sample.name, call


def arrays_in(value):
    """Those a caller looks at: what forward returns last in a list, or opaque bytes, is for its own backward."""
    values = value if isinstance(value, (tuple, list)) else (value,)
    return [x for x in values if isinstance(x, np.ndarray) and (x.dtype == np.float32 or x.dtype.name == "bfloat16")]


def digests(names):
    """A line for each kernel."""
    for name in names:
        content = hashlib.sha256()
        for _, call in calls(name):
            for x in call():
                content.update(np.ascontiguousarray(x).tobytes())
        yield f"{name} {content.hexdigest()}"


@pytest.mark.parametrize("name", KERNELS)
def test_repeated_calls(name):
    tried = 0
    for sample, call in calls(name):
        first = [np.array(x) for x in call()]
        for _ in range(3):
            for one, again in zip(first, call(), strict=True):
                assert again.tobytes() == one.tobytes(), sample
        tried += 1
    assert tried


def test_two_processes():
    """One calls the kernels in one order, the other in the opposite one, each before the other's."""

    def process(order):
        code = f"import test_reproducible as t; print(*t.digests(list(t.KERNELS)[::{order}]), sep='\\n')"
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(__file__)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        return sorted(done.stdout.splitlines())

    one = process(1)
    assert len(one) == len(KERNELS)
    assert one == process(-1)
