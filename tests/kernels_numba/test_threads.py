"""Pieces in threads: the same bits for each number of them, after a fork, and from several Python threads at once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from renga_kernels_numba import threads
from renga_kernels_numba.attention import Attention
from renga_kernels_numba.attention import supports as supports_attention
from renga_kernels_numba.depthwise_convolution import ParameterGradients
from renga_kernels_numba.dropout import Dropout
from renga_kernels_numba.loop import Loop
from renga_kernels_numba.lstm_layer import LSTMLayer, supports
from renga_kernels_numba.norms import SumsOfSquares
from renga_kernels_numba.optimizer_updates import AdamUpdate
from renga_kernels_numba.recurrence import Recurrence
from renga_kernels_numba.region_maxima import RegionMaxima, RegionMaximaSpread
from renga_kernels_numba.region_sums import RegionSpread, RegionSums
from renga_kernels_numba.softmax import SOFTMAX, CrossEntropy
from renga_nn.functions.pooling.region_maxima import BinSamples
from renga_nn.functions.pooling.region_sums import BinWeights
from renga_nn.functions.pooling.regions import Weights
from renga_nn.functions.pooling.samples import Samples
from renga_nn.functions.rnn.n_step_lstm import LSTM_CELL
from renga_nn.functions.rnn.recurrence import Walk

NUMBERS = 0.9, 0.999, 1e-8, 0.01, 0.99


def updated(seed):
    """Parameters of many sizes, some of several pieces, after three updates of Adam."""
    rng = np.random.default_rng(seed)
    sizes = (1, 70_001, 5, 0, 32_768, 100, 33_000, 16)
    rows = [[rng.uniform(0, 1, size).astype(np.float32) for size in sizes] for _ in range(4)]
    for _ in range(3):
        AdamUpdate.forward(*rows, *NUMBERS)
    return np.concatenate(rows[0])


def norms(seed):
    arrays = [np.random.default_rng(seed).standard_normal(size).astype(np.float32) for size in (100_003, 0, 7, 50_000)]
    sums = np.empty(4, np.float32)
    SumsOfSquares.forward(arrays, [sums[i : i + 1] for i in range(4)])
    np.testing.assert_allclose(sums, [(x.astype("d") ** 2).sum() for x in arrays], rtol=1e-6)
    return sums


def of_rows(seed):
    """Softmax, cross entropy and dropout of a matrix of several pieces, with their gradients."""
    rng = np.random.default_rng(seed)
    x, gy = rng.standard_normal((2, 40, 3001)).astype(np.float32)
    y = SOFTMAX.forward(x, 1)
    labels, weight = rng.integers(0, 3001, 40), np.ones(40, np.float32)
    loss, kept = CrossEntropy.forward(x, labels, weight, True)
    dropped, mask = Dropout.forward(x, rng, 0.2)
    gradients = (
        SOFTMAX.backward(y, gy, 1),
        CrossEntropy.backward(x, labels, weight, kept),
        Dropout.backward(mask, gy, 0.2),
    )
    return np.concatenate([array.ravel() for array in (y, loss, dropped, *gradients)])


def over_steps(seed):
    """Layers of long short-term memories, with their gradients: few sequences in one group, and more in several."""
    rng = np.random.default_rng(seed)
    results = []
    for sizes, backwards in ((11, 11, 3), False), ((5, 4, 1), True), ((30, 29, 1), True):
        walk = Walk(LSTM_CELL, sizes, backwards, True)
        shapes = (sum(sizes), 8), (1600, 8), (1600,), (1600, 400), (1600,), (sizes[0], 400), (sizes[0], 400)
        inputs = [rng.standard_normal(shape).astype(np.float32) / 10 for shape in shapes]
        kernel = LSTMLayer if supports(walk, *inputs) else Recurrence
        *states, kept = kernel.forward(walk, *inputs)
        results += [*states, *kernel.backward(walk, inputs, kept, states)]
    return np.concatenate([array.ravel() for array in results])


def over_heads(seed):
    """Attention of several heads, with its gradients."""
    query, key, value, gy = np.random.default_rng(seed).standard_normal((4, 3, 50, 32)).astype(np.float32)
    arguments = query, key, value, None, None, True, 0.2
    if not supports_attention(*arguments):
        pytest.skip("needs AVX-512")
    y, kept = Attention.forward(*arguments)
    return np.concatenate([a.ravel() for a in (y, *Attention.backward(*arguments, y, kept, gy))])


def over_regions(seed):
    """Sums and maxima of regions that overlap, with their gradients."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, (60, 3, 3)) * 400
    axes = [Weights.of(rng.integers(0, 20, (60, 3, 4)), rng.uniform(0, 1, (60, 3, 4))) for _ in range(2)]
    weights = BinWeights(first, 20, *axes)
    pixels = rng.standard_normal((800, 70)).astype(np.float32)
    y = RegionSums.forward(pixels, weights)
    samples = BinSamples(
        first, (20, 20), *[Samples.of_pixels(*pair, 20) for pair in rng.integers(0, 20, (2, 2, 60, 3))], False
    )
    maxima, number = RegionMaxima.forward(pixels, samples)
    gradients = RegionSpread.forward(y, weights, 800), RegionMaximaSpread.forward(y, number, samples, 800)
    return np.concatenate([a.ravel() for a in (y, maxima, *gradients)])


def depthwise(seed):
    """The gradient of filters with one channel each."""
    x, y = np.random.default_rng(seed).standard_normal((2, 4, 20, 20, 9)).astype(np.float32).transpose(0, 1, 4, 2, 3)
    gradients = ParameterGradients.forward(x, y, (1, 1), (1, 1), (1, 1), 9, (3, 3))
    return np.concatenate([a.ravel() for a in gradients])


@pytest.mark.parametrize("work", [updated, norms, of_rows, over_steps, over_heads, over_regions, depthwise])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_bits_do_not_depend_on_the_number_of_threads(number, work, monkeypatch):
    expected = work(0)
    for loop in Loop.known.values():
        monkeypatch.setattr(loop, "alone", 1)
    monkeypatch.setattr(threads._openmp(), "omp_get_max_threads", lambda: number)
    monkeypatch.setattr(threads.cores, "threads", lambda: number)
    np.testing.assert_array_equal(work(0), expected)


def test_without_openmp(monkeypatch):
    expected = updated(0)
    monkeypatch.setattr(threads, "_openmp", lambda: None)
    np.testing.assert_array_equal(updated(0), expected)


def test_python_threads_at_once():
    expected = [updated(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for got, right in zip(pool.map(updated, [0, 1, 2, 3] * 3), expected * 3, strict=True):
            np.testing.assert_array_equal(got, right)


FORK = """
import os, numpy as np, test_threads as t
expected = t.updated(0)
child = os.fork()
if not child:
    os._exit(0 if np.array_equal(t.updated(0), expected) else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert np.array_equal(t.updated(0), expected)
"""


def test_after_a_fork():
    command = [
        sys.executable,
        "-W",
        "ignore::DeprecationWarning",
        "-c",
        f"import sys; sys.path[0] = {__file__!r}[:-16]",
    ]
    command[-1] += FORK
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
