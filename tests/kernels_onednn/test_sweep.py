"""Random convolutions through the functions, with their gradients, against float64, which oneDNN does not compute.

Any number of axes from one to three, odd sizes, groups, dilation, strides, wide borders, transposed or not; by several
threads of Python at once, as by one.
"""

import itertools
import threading

import numpy as np
import pytest

import renga.functions as F
from renga import Variable


def case(rng):
    """The function, shapes of its arrays, its arguments: some that fit together."""
    while True:
        axes = int(rng.integers(1, 4))

        def each(least, most, axes=axes):
            return tuple(int(n) for n in rng.integers(least, most + 1, axes))

        groups = int(rng.choice([1, 1, 1, 2, 3, 16]))
        channels, filters = (groups * int(n) for n in rng.integers(1, 40 if groups == 1 else 4, 2))
        size, ksize = each(1, 17 if axes < 3 else 7), each(1, 5 if axes < 3 else 3)
        window = {"stride": each(1, 3), "pad": each(0, 3), "dilate": each(1, 3), "groups": groups}
        transposed = bool(rng.integers(2))
        reach = [d * (k - 1) + 1 - 2 * p for k, d, p in zip(ksize, window["dilate"], window["pad"], strict=True)]
        if transposed:
            fits = all(s * (n - 1) + r > 0 for n, s, r in zip(size, window["stride"], reach, strict=True))
            W = (channels, filters // groups, *ksize)
        else:
            fits = all(n >= r for n, r in zip(size, reach, strict=True))
            W = (filters, channels // groups, *ksize)
        if fits:
            function = F.deconvolution_nd if transposed else F.convolution_nd
            return function, [(int(rng.integers(1, 4)), channels, *size), W, (filters,)], window


def computed(function, arrays, window, seed):
    """The result and all gradients."""
    variables = [Variable(a) for a in arrays]
    y = function(*variables, **window)
    y.grad = np.random.default_rng(seed).uniform(-1, 1, y.shape).astype(y.dtype)
    y.backward()
    return [y.array, *[v.grad for v in variables]]


def sweep(seed, count):
    """What is wrong among so many random convolutions."""
    rng = np.random.default_rng(seed)
    wrong = []
    for number in range(count):
        function, shapes, window = case(rng)
        arrays = [rng.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]
        if number % 3 == 0:  # channels last
            arrays[0] = np.moveaxis(np.ascontiguousarray(np.moveaxis(arrays[0], 1, -1)), -1, 1)
        found = computed(function, arrays, window, number)
        right = computed(function, [a.astype(np.float64) for a in arrays], window, number)
        for name, a, b in zip(("y", "x", "W", "b"), found, right, strict=True):
            if a.dtype != np.float32 or np.abs(a - b).max(initial=0) > 1e-5 * max(1.0, np.abs(b).max(initial=0)):
                wrong.append((function.__name__, name, shapes, window))
    return wrong


def test_random_convolutions():
    assert sweep(0, 60) == []


def test_random_convolutions_of_several_threads_at_once():
    found = {}
    threads = [threading.Thread(target=lambda s=seed: found.__setitem__(s, sweep(s, 20))) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: [] for seed in range(1, 5)}


@pytest.mark.slow
def test_thousand_random_convolutions():
    assert list(itertools.chain(*[sweep(seed, 100) for seed in range(100, 110)])) == []
