"""What is kept between calls: bounded, not shared by threads, dropped in forked children."""

import ctypes
import itertools
import os
import resource
import threading

import numpy as np
import pytest

from renga_kernels_onednn import cache, convolution, softmax, threads
from renga_kernels_onednn.convolution import Convolution

WINDOW = ((1, 1), (1, 1), (1, 1), 1)


class Allocated(ctypes.Structure):
    """``struct mallinfo2``."""

    _fields_ = [(f"number{i}", ctypes.c_size_t) for i in range(10)]


def allocated():
    """Bytes that the C library has handed out."""
    information = ctypes.CDLL(None).mallinfo2
    information.restype = Allocated
    return information().number7


def convolve(x, W):
    return Convolution.forward(x, W, None, *WINDOW, x.shape[2:])


def test_as_many_plans_as_the_bound():
    made = []

    def make(n):
        made.append(n)
        return object()

    for n in range(cache.BOUND + 1):
        cache.find(1 << 20, make, n)
    assert cache.find(1 << 20, make, cache.BOUND) is cache.find(1 << 20, make, cache.BOUND)
    assert len(made) == cache.BOUND + 1
    cache.find(1 << 20, make, 0)  # not used for longest
    assert made[-1] == 0


def test_memory_stays_flat_over_changing_shapes():
    def run(numbers):
        for n in numbers:
            x = np.ones((2, n), "f")
            assert np.allclose(softmax.Softmax.forward(x, 1).sum(), 2)

    run(range(1, 2 * cache.BOUND))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(range(2 * cache.BOUND, 6 * cache.BOUND))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # KiB


def convolve_with(n, side):
    x, W = np.ones((1, n, side, side), "f"), np.ones((n + 1, n, 3, 3), "f")
    assert convolve(x, W).max() == 9 * n


def test_memory_stays_flat_over_changing_images(monkeypatch):
    monkeypatch.setattr(convolution, "_number", itertools.count(convolution.MANY))

    def run(sides):
        for side in sides:
            for n in range(3, 40):
                convolve_with(n, side)

    run(range(14, 24))  # more than the bound of plans
    before = allocated()
    run(range(24, 34))
    assert allocated() - before < 1 << 20  # bytes; in the fastest way it is four times as much


def test_the_first_convolutions_are_the_fastest(monkeypatch):
    def name():
        plan = convolution._Forward((1, 16, 8, 8), (16, 16, 3, 3), (144, 9, 3, 1), False, *WINDOW, (8, 8))
        return plan._compute.description.implementation

    monkeypatch.setattr(convolution, "_number", itertools.count(convolution.MANY - 1))
    first, second = name(), name()
    assert "brg" not in second
    assert first != second or "brg" not in first  # an old processor has no other


def test_the_number_of_threads_belongs_to_the_key(monkeypatch):
    def make():
        return object()

    first = cache.find(1 << 20, make)
    monkeypatch.setattr(threads, "count", lambda: 77)
    assert cache.find(1 << 20, make) is not first


def test_little_work_is_for_one_thread():
    before, seen = threads.count(), []

    def make(name):
        seen.append(threads.count())
        return object()

    cache.find(1 << 10, make, "little")
    cache.find(1 << 20, make, "much")
    assert seen == [1, before]
    convolve(np.ones((1, 8, 8, 8), "f"), np.ones((8, 8, 3, 3), "f"))
    assert threads.count() == before


def test_pieces_of_scratch_do_not_overlap():
    a, b = cache.scratch("one", 100), cache.scratch("another", 100)
    assert a % 64 == b % 64 == 0
    assert abs(a - b) >= 100
    assert cache.scratch("one", 50) == a
    cache.scratch("one", 1 << 16)


def test_two_threads_at_once():
    rng = np.random.default_rng(0)
    W = rng.standard_normal((32, 16, 3, 3)).astype("f")
    inputs = [rng.standard_normal((2, 16, 20, 20)).astype("f") for _ in range(4)]
    right = [convolve(x, W) for x in inputs]
    wrong = []

    def work(i):
        for _ in range(30):
            if not np.array_equal(convolve(inputs[i], W), right[i]):
                wrong.append(i)

    running = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert not wrong


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes():
    x, W = np.ones((2, 16, 20, 20), "f"), np.ones((32, 16, 3, 3), "f")
    right = convolve(x, W)
    child = os.fork()
    if not child:
        os._exit(0 if threads.count() == 1 and np.allclose(convolve(x, W), right) else 1)
    assert os.waitpid(child, 0)[1] == 0
