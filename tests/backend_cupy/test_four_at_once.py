"""Kernels that read four elements at once give the same where addresses or lengths do not allow it."""

import numpy as np
import pytest

SHAPES = [(3, 4), (2, 3, 8), (5, 36), (2, 1028), (3, 7), (2, 1030)]
"""Rows of which four elements go to a thread, of one thread to more than a block; and rows whose length is odd."""


@pytest.fixture
def place(compiled):
    """Copy an array to an address that is, or is not, a multiple of 16."""

    def place(x, shifted):
        x = np.asarray(x)
        memory = np.zeros(x.nbytes + 32, np.uint8)
        first = -memory.ctypes.data % 16 + (x.itemsize if shifted else 0)
        placed = memory[first : first + x.nbytes].view(x.dtype).reshape(x.shape).view(compiled.ndarray)
        placed[...] = x
        assert (placed.data.ptr % 16 == 0) != shifted
        return placed

    return place


def softmax(rng, shape, dtype, place):
    from renga_backend_cupy.kernels.softmax import LogSoftmax, Softmax

    x, gy = (place(rng.normal(size=shape).astype(dtype)) for _ in range(2))
    for kernel in (Softmax, LogSoftmax):
        y = kernel.forward(x, len(shape) - 1)
        yield y
        yield kernel.backward(place(y), gy, len(shape) - 1)


def layer_normalization(rng, shape, dtype, place):
    from renga_backend_cupy.kernels.layer_normalization import LayerNormalization

    x, gy = (place(rng.normal(size=shape).astype(dtype)) for _ in range(2))
    gamma, beta = (place(rng.normal(size=shape[-1]).astype(np.float32)) for _ in range(2))
    y, mean, inv_std = LayerNormalization.forward(x, gamma, beta, 1e-5)
    yield from (y, mean, inv_std, *LayerNormalization.backward(x, gamma, mean, inv_std, gy))


def dropout(rng, shape, dtype, place):
    from renga_backend_cupy.generator import PhiloxGenerator
    from renga_backend_cupy.kernels.dropout import Dropout

    yield Dropout.forward(place(rng.normal(size=shape).astype(dtype)), PhiloxGenerator(5), 0.25)[0]


def dropout_add(rng, shape, dtype, place):
    from renga_backend_cupy.generator import PhiloxGenerator
    from renga_backend_cupy.kernels.dropout import DropoutAdd

    x, residual = (place(rng.normal(size=shape).astype(dtype)) for _ in range(2))
    yield DropoutAdd.forward(x, residual, PhiloxGenerator(5), 0.25)[0]


def adam(rng, shape, dtype, place):
    from renga_backend_cupy.kernels.optimizer_updates import AdamUpdate

    copy, grad, m, v = (place(rng.uniform(size=shape).astype(np.float32)) for _ in range(4))
    param = place(np.asarray(copy).astype(dtype))
    if dtype is np.float32:
        AdamUpdate.forward([param], [grad], [m], [v], 0.9, 0.99, 1e-3, 0.1, 1.0)
    else:
        AdamUpdate.half.forward([param], [grad], [copy], [m], [v], 0.9, 0.99, 1e-3, 0.1, 1.0, 8.0)
    yield from (param, copy, m, v)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("compute", [softmax, layer_normalization, dropout, dropout_add, adam])
def test_four_at_once(place, compute, dtype):
    tolerance = 2e-3 if dtype is np.float16 else 1e-5  # sums are added in another order
    for shape in SHAPES:
        results = [
            list(compute(np.random.default_rng(0), shape, dtype, lambda x, shifted=shifted: place(x, shifted)))
            for shifted in (False, True)
        ]
        for fast, slow in zip(*results, strict=True):
            np.testing.assert_allclose(fast, slow, rtol=tolerance, atol=tolerance, err_msg=str(shape))


def test_whether_it_is_done(place, compiled, monkeypatch):
    from renga_backend_cupy.kernels import softmax as module

    seen = []
    monkeypatch.setattr(module._MODULE, "get_function", lambda name: lambda grid, block, args: seen.append(args[-1]))
    for shape, shifted in [((3, 8), False), ((3, 8), True), ((3, 7), False)]:
        module.Softmax.forward(place(np.zeros(shape, np.float32), shifted), 1)
    module.Softmax.forward(place(np.zeros((2, 8, 4), np.float32), False), 1)
    assert seen == [1, 0, 0, 0]
