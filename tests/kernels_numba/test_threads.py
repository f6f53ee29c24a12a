"""Pieces in threads: the same bits for each number of them, after a fork, and from several Python threads at once."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from renga_kernels_numba import threads
from renga_kernels_numba.optimizer_updates import AdamUpdate

NUMBERS = 0.9, 0.999, 1e-8, 0.01, 0.99


def updated(seed):
    """Parameters of many sizes, some of several pieces, after three updates of Adam."""
    rng = np.random.default_rng(seed)
    sizes = (1, 70_001, 5, 0, 32_768, 100, 33_000, 16)
    rows = [[rng.uniform(0, 1, size).astype(np.float32) for size in sizes] for _ in range(4)]
    for _ in range(3):
        AdamUpdate.forward(*rows, *NUMBERS)
    return np.concatenate(rows[0])


@pytest.mark.parametrize("number", [1, 2, 3])
def test_bits_do_not_depend_on_the_number_of_threads(number, monkeypatch):
    expected = updated(0)
    monkeypatch.setattr(threads._openmp(), "omp_get_max_threads", lambda: number)
    np.testing.assert_array_equal(updated(0), expected)


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
