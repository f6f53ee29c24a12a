"""What is kept between calls: bounded, not shared by threads, dropped in forked children."""

import ctypes
import os
import resource
import threading
from collections import OrderedDict

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


def test_what_is_made_in_passing_is_forgotten_and_nothing_else():
    def make(n):
        return object()

    kept = cache.find(1, make, 1)
    with cache.passing():
        assert cache.find(1, make, 1) is not kept
        passing = cache.find(1, make, 2)
    assert cache.find(1, make, 1) is kept
    assert cache.find(1, make, 2) is not passing


def test_memory_stays_flat_over_changing_shapes():
    def run(numbers):
        for n in numbers:
            x = np.ones((2, n), "f")
            assert np.allclose(softmax.Softmax.forward(x, 1).sum(), 2)

    run(range(1, 2 * cache.BOUND))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(range(2 * cache.BOUND, 6 * cache.BOUND))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # KiB


def convolve_with(batch, channels, height, width, results=3):
    x, W = np.ones((batch, channels, height, width), "f"), np.ones((results, channels, 3, 3), "f")
    assert convolve(x, W).max() == 9 * channels


def test_memory_stays_flat_over_changing_images():
    def run(numbers):
        for n in numbers:
            for results in (3, 8):
                convolve_with(2, 16, n, 20, results)
                convolve_with(n, 16, 20, 20, results)
            convolve_with(2, 16, 20, 2 * n + 65)

    run(range(3, 103))  # more than the bound of plans
    cache._kept("plans", OrderedDict).clear()
    before = allocated()
    run(range(103, 203))
    cache._kept("plans", OrderedDict).clear()
    assert allocated() - before < 1 << 18  # bytes; if all widths were convolved in the fastest way, four times as much


@pytest.mark.parametrize(("width", "fastest"), [(8, True), (64, True), (65, False), (80, True), (224, True)])
def test_the_width_of_images_decides_how_they_are_convolved(width, fastest):
    plan = convolution._Forward(4, (1, 16, 8, width), (16, 16, 3, 3), (144, 9, 3, 1), False, *WINDOW, (8, width))
    # An old processor has no fast way.
    assert "brg" not in plan._compute.description.implementation or fastest


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
