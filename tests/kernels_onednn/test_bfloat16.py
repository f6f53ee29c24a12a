"""bfloat16 by oneDNN: what the kit of kernels does not ask."""

import os
import subprocess
import sys

import numpy as np
import pytest

import renga.functions as F
from renga_backend_numpy import cores
from renga_core.backend import get_backend
from renga_core.graph import Variable
from renga_core.kernel import operations
from renga_kernels_onednn import library, threads

ml_dtypes = pytest.importorskip("ml_dtypes", reason="NumPy has bfloat16 from this package only")
BF16 = np.dtype(ml_dtypes.bfloat16)
MISSING = library.without_bfloat16()


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
@pytest.mark.parametrize("number", [np.nan, -np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "function",
    [
        F.relu,
        F.softmax,
        F.log_softmax,
        F.gelu,
        F.silu,
        F.sigmoid,
        F.tanh,
        lambda x: F.max_pooling_2d(x, 2),
        lambda x: F.average_pooling_2d(x, 2),
    ],
    ids=["relu", "softmax", "log_softmax", "gelu", "silu", "sigmoid", "tanh", "max_pooling", "average_pooling"],
)
def test_what_is_not_finite_shows(function, number):
    """Forward and back, as in float32: the kit asks this of NumPy's own dtypes only."""
    x = np.random.default_rng(0).normal(size=(1, 2, 4, 4)).astype(BF16)
    x[0, 0, 0, 0] = number
    if number == -np.inf:
        x[0, 0, :2, :2] = number  # a window of nothing else
    found = []
    with np.errstate(all="ignore"):
        for dtype in (BF16, np.float32):
            v = Variable(x.astype(dtype))
            y = function(v)
            y.grad = np.full(y.shape, 0.5, dtype)
            y.backward()
            found.append([np.isfinite(a.astype(np.float32)) for a in (y.array, v.grad)])
    for got, right in zip(*found, strict=True):
        np.testing.assert_array_equal(got, right)


PROGRAM = """
import numpy as np, ml_dtypes, renga
import renga.functions as F
from renga_core.kernel import operations
from renga_core.backend import get_backend
rng, dtype = np.random.default_rng(0), ml_dtypes.bfloat16
x, W = [rng.normal(size=s).astype(dtype) for s in ((2, 3, 9, 9), (4, 3, 3, 3))]
a, b, c = [rng.normal(size=s).astype(dtype) for s in ((70, 80), (90, 80), (80, 60))]
w = np.float32
for y, right in (
    (F.convolution_2d(x, W), F.convolution_2d(x.astype(w), W.astype(w))),
    (F.linear(a, b), F.linear(a.astype(w), b.astype(w))),
    (F.matmul(a, c), F.matmul(a.astype(w), c.astype(w))),
):
    assert y.dtype == dtype
    np.testing.assert_array_equal(y.array, right.array.astype(dtype))
print(operations["linear"].select(get_backend("numpy"), a, b, None).name)
with renga.using({"kernels.linear": "onednn"}):  # the plugin has another kernel, which does not work here
    F.linear(a.astype(w), b.astype(w))
"""


def test_another_processor_computes_by_way_of_float32():
    """Each result is that of float32, rounded once, where oneDNN is told of a processor without bfloat16."""
    environment = {**os.environ, "ONEDNN_MAX_CPU_ISA": "AVX2"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], env=environment, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "numpy:half_linear\n", "")
    listed = subprocess.run(
        [sys.executable, "-m", "renga", "kernels", "linear"], env=environment, capture_output=True, text=True
    )
    if library.unavailable() is None:
        assert "never: unavailable: this processor has no instructions for bfloat16 (AVX512_BF16)" in listed.stdout


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_it_is_used():
    x = np.ones((4, 4), BF16)
    F.linear(x, x)  # imports its module, which makes the operation known
    assert operations["linear"].select(get_backend("numpy"), x, x, None).name == "onednn:onednn_linear_bfloat16"


def test_the_package_is_missing(monkeypatch):
    monkeypatch.setattr(library, "find_spec", lambda name: None)
    monkeypatch.setattr(library, "unavailable", lambda: None)
    assert library.without_bfloat16() == "NumPy has no bfloat16. Next: pip install ml_dtypes"


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_the_number_of_threads_changes_no_bit(monkeypatch):
    """Of a convolution with batch normalization, a product, attention, and their gradients."""
    rng = np.random.default_rng(0)
    x, W, g, b = [rng.normal(size=s).astype(BF16) for s in ((4, 32, 32, 32), (64, 32, 3, 3), (64,), (64,))]
    a, M, q = [rng.normal(size=s).astype(BF16) for s in ((512, 256), (300, 256), (4, 4, 96, 32))]
    functions = (
        (lambda x, W, g, b: F.batch_normalization(F.convolution_2d(x, W, pad=1), g, b), (x, W, g, b)),
        (F.linear, (a, M)),
        (lambda q: F.scaled_dot_product_attention(q, q, q, causal=True), (q,)),
    )
    results = []
    for number in (1, 2, 3):
        for name in ("threads", "most"):
            monkeypatch.setattr(cores, name, lambda number=number: number)
        before = threads.use(3)
        try:
            found = []
            for function, arrays in functions:
                variables = [Variable(one) for one in arrays]
                y = function(*variables)
                y.grad = np.cos(np.arange(y.size, dtype=np.float32)).reshape(y.shape).astype(BF16)
                y.backward()
                found += [y.array.tobytes(), *[v.grad.tobytes() for v in variables]]
        finally:
            threads.use(before)
        results.append(found)
    assert results[0] == results[1] == results[2]
