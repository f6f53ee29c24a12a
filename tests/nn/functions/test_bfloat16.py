"""bfloat16 on NumPy's arrays, by the package ml_dtypes: results are those of float32, rounded, and so are gradients."""

import numpy as np
import pytest

import renga
import renga.functions as F
import renga.links as L
from renga_core.backend import is_floating
from renga_core.configuration import using_config
from renga_core.graph import Variable

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = np.dtype(ml_dtypes.bfloat16)

IDS = np.array([0, 2, 2])
FUNCTIONS = {
    "relu": (F.relu, (3, 4)),
    "sigmoid": (F.sigmoid, (3, 4)),
    "tanh": (F.tanh, (3, 4)),
    "gelu": (F.gelu, (3, 4)),
    "silu": (F.silu, (3, 4)),
    "elu": (F.elu, (3, 4)),
    "softplus": (F.softplus, (3, 4)),
    "leaky_relu": (F.leaky_relu, (3, 4)),
    "softmax": (F.softmax, (3, 4)),
    "log_softmax": (F.log_softmax, (3, 4)),
    "softmax_cross_entropy": (lambda x: F.softmax_cross_entropy(x, IDS), (3, 4)),
    "lstm": (lambda c, x: F.lstm(c, x)[1], (3, 2), (3, 8)),
    "linear": (F.linear, (3, 4), (5, 4), (5,)),
    "linear_relu": (F.linear_relu, (3, 4), (5, 4), (5,)),
    "matmul": (F.matmul, (3, 4), (4, 5)),
    "convolution_2d": (F.convolution_2d, (2, 3, 5, 5), (4, 3, 3, 3), (4,)),
    "deconvolution_2d": (F.deconvolution_2d, (2, 3, 5, 5), (3, 4, 3, 3)),
    "batch_normalization": (F.batch_normalization, (5, 4), (4,), (4,)),
    "layer_normalization": (F.layer_normalization, (3, 4), (4,), (4,)),
    "rms_normalization": (F.rms_normalization, (3, 4), (4,)),
    "rotary_embedding": (F.rotary_embedding, (3, 4)),
    "swiglu": (F.swiglu, (3, 4), (3, 4)),
    "linear_softmax_cross_entropy": (lambda x, W: F.linear_softmax_cross_entropy(x, W, IDS), (3, 4), (5, 4)),
    "max_pooling_2d": (lambda x: F.max_pooling_2d(x, 2), (2, 3, 4, 4)),
    "average_pooling_2d": (lambda x: F.average_pooling_2d(x, 2), (2, 3, 4, 4)),
    "embed_id": (lambda W: F.embed_id(IDS, W), (3, 4)),
    "attention": (F.scaled_dot_product_attention, (2, 3, 4), (2, 5, 4), (2, 5, 4)),
    "sum": (lambda x: F.sum(x, 0), (600, 2)),
    "mean": (lambda x: F.mean(x, 0), (600, 2)),
    "product and sum": (lambda x, z: x * z + x, (3, 4), (3, 4)),
    "concat": (lambda x, z: F.concat((x, z)), (3, 4), (3, 4)),
    "exp": (F.exp, (3, 4)),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_as_float32(name):
    function, *shapes = FUNCTIONS[name]
    rng = np.random.default_rng(0)
    arrays = [rng.uniform(0.25, 1.75, shape).astype(BF16) for shape in shapes]
    found = []
    for dtype in (BF16, np.float32):
        xs = [Variable(x.astype(dtype)) for x in arrays]
        y = function(*xs)
        assert y.dtype == dtype
        y.grad = np.cos(np.arange(y.size)).reshape(y.shape).astype(BF16).astype(dtype)
        y.backward()
        assert all(x.grad.dtype == dtype for x in xs)
        found.append([y.array.astype(np.float32), *[x.grad.astype(np.float32) for x in xs]])
    for got, right in zip(*found, strict=True):
        # 8 bits, which sums of a few rounded numbers do not all keep.
        assert abs(got - right).max() <= 2**-5 * max(1, abs(right).max())


def test_sums_do_not_stop_at_256():
    assert float(F.sum(np.ones(1000, BF16)).array) == 1000


def test_learning():
    with using_config("dtype", BF16):
        model = L.Linear(4, 3)
    assert model.W.dtype == BF16
    optimizer = renga.optimizers.Adam(alpha=0.05)
    optimizer.use_fp32_update()
    optimizer.setup(model)
    x = np.random.default_rng(1).normal(size=(30, 4)).astype(BF16)
    t = (x[:, 0].astype(np.float32) > 0).astype(int)
    losses = []
    for _ in range(30):
        optimizer.update(lambda: losses.append(F.softmax_cross_entropy(model(x), t)) or losses[-1])
    assert model.W.dtype == BF16
    assert float(losses[-1].array) < 0.5 * float(losses[0].array)


@pytest.mark.parametrize("other", [np.float16, np.float32, np.float64, BF16])
def test_floating(other):
    assert is_floating(np.dtype(other)) is True


@pytest.mark.parametrize("other", [np.int8, bool, np.complex64, ml_dtypes.int4, np.dtype("V2")])
def test_not_floating(other):
    assert is_floating(np.dtype(other)) is False
