"""Products of matrices by oneDNN, beyond what the kit tries."""

import os
import threading
from collections import OrderedDict

import numpy as np
import pytest

from renga_core.backend import get_backend
from renga_core.graph import Variable
from renga_core.kernel import operations
from renga_kernels_onednn import cache
from renga_kernels_onednn.library import library
from renga_kernels_onednn.product import Linear, MatMul
from renga_nn.functions import linear

RNG = np.random.default_rng(0)


def single(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def agree(got, right):
    np.testing.assert_allclose(got, right, rtol=2e-5, atol=2e-5 * max(1, abs(right).max()))


VIEWS = {
    "as it is": lambda x: x,
    "rows backwards": lambda x: x[::-1],
    "columns backwards": lambda x: x[:, ::-1],
    "every second row": lambda x: x[::2],
    "every second column": lambda x: x[:, ::2],
    "a part": lambda x: x[3:-2, 5:-1],
    "one row, repeated": lambda x: np.broadcast_to(x[0], x.shape),
    "one column, repeated": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "one row": lambda x: x[:1],
    "one column": lambda x: x[:, :1],
}


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("of_b", VIEWS)
@pytest.mark.parametrize("of_a", VIEWS)
def test_views(of_a, of_b, transposed):
    a, b = VIEWS[of_a](single(130, 140)), VIEWS[of_b](single(150, 120))
    a, b = (a.T, b.T) if transposed else (a, b)
    inner = min(a.shape[1], b.shape[0])
    a, b = a[:, :inner], b[:inner]
    for _ in range(2):  # the second time by a primitive that is there
        agree(MatMul.forward(a, b), a.astype(float) @ b)
        bias = single(b.shape[1])[::-1]
        agree(Linear.forward(a, b.T, bias), a.astype(float) @ b + bias)
        gy = single(a.shape[0], b.shape[1])
        right = gy.astype(float) @ b.T, gy.T.astype(float) @ a, gy.astype(float).sum(0)
        for gradient, expected in zip(Linear.backward(a, b.T, gy, (0, 1, 2)), right, strict=True):
            agree(gradient, expected)


def test_matrices_whose_rows_meet_in_the_caches():
    a, b = single(70, 512), single(70, 60)
    agree(MatMul.forward(a.T, b), a.T.astype(float) @ b)
    room = single(70 * 512 + 8)
    (aligned,) = [room[i : i + 70 * 512] for i in (0, 4) if room[i:].ctypes.data % 32 == 0]
    agree(MatMul.forward(b.T, aligned.reshape(70, 512)), b.T.astype(float) @ aligned.reshape(70, 512))
    rows = single(64, 70)
    agree(MatMul.forward(rows, aligned.reshape(70, 512)), rows.astype(float) @ aligned.reshape(70, 512))


@pytest.mark.parametrize("axes", [(0, 1, 2, 3), (0, 2, 1, 3), (2, 0, 1, 3), (0, 1, 3, 2), (3, 2, 1, 0)])
def test_batches_in_any_order_of_memory(axes):
    a = single(*[(2, 3, 65, 66)[i] for i in axes]).transpose(np.argsort(axes))
    b = single(2, 3, 66, 67)
    agree(MatMul.forward(a, b), a.astype(float) @ b)
    agree(MatMul.forward(a.swapaxes(-1, -2), a), a.swapaxes(-1, -2).astype(float) @ a)


def test_numpy_computes_what_is_small_or_broadcasts():
    select = operations["matmul"].select
    backend = get_backend("numpy")
    assert select(backend, single(64, 64), single(64, 64)).name == "reference"
    assert select(backend, single(2, 1, 90, 90), single(1, 2, 90, 90)).name == "reference"
    assert select(backend, single(90, 90).astype(float), single(90, 90).astype(float)).name == "reference"
    assert select(backend, single(90, 90), single(90, 90)).name == "onednn:onednn_matmul"
    assert select(backend, single(1, 1000), single(1000, 100)).name == "onednn:onednn_matmul"


@pytest.mark.parametrize(("rows", "planned"), [(7, 0), (8, 1), (100, 1), (128, 1), (129, 0), (192, 1), (700, 0)])
def test_the_number_of_rows_alone_decides_on_a_primitive(rows, planned):
    x, W = single(rows, 784), single(611 + rows, 784)
    plans = cache._kept("plans", OrderedDict)
    plans.clear()
    planned = planned if library().has_avx512 else 0
    first = Linear.forward(x, W, None)
    assert len(plans) == planned
    np.testing.assert_array_equal(Linear.forward(x, W, None), first)
    assert len(plans) == planned
    agree(first, x.astype(float) @ W.T)


def test_two_threads_at_once():
    x, W = single(200, 210), single(220, 210)
    right = x.astype(float) @ W.T
    wrong = []

    def work():
        for _ in range(50):
            if not np.allclose(linear(x, W).array, right, atol=1e-3):
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_a_forked_child_computes():
    """With one thread: those of the parent are gone."""
    x, W = single(300, 310), single(320, 310)
    right = Linear.forward(x, W, None)
    child = os.fork()
    if child == 0:
        both = Linear.forward(x, W, None), MatMul.forward(x, W.T)
        os._exit(0 if all(np.allclose(one, right, atol=1e-3) for one in both) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_gradients_by_hand_are_those_of_the_reference():
    x, W, b = Variable(single(100, 150)), Variable(single(130, 150)), Variable(single(130))
    y = linear(x, W, b)
    gy = single(*y.shape)
    y.grad = gy
    y.backward()
    agree(x.grad, gy.astype(float) @ W.array)
    agree(W.grad, gy.astype(float).T @ x.array)
    agree(b.grad, gy.astype(float).sum(0))
