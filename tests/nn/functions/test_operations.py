"""Operations of the library: their samples can be computed, and functions use the kernel that is chosen, both ways."""

import types

import numpy as np
import pytest

import renga.functions as F
from renga_core import random
from renga_core.backend import get_backend
from renga_core.graph import InvalidType, Variable
from renga_core.kernel import Implementation, ListOperation, Seeded, operations
from renga_core.kinds import FUNCTION
from renga_core.plugin import registry
from renga_core.plugin.provider import resolve

for _name in registry(FUNCTION).names():
    registry(FUNCTION).load(_name)
NAMES = sorted(name for name, operation in operations.items() if operation.samples.startswith("renga_nn."))


def many(y):
    return y if isinstance(y, tuple) else (y,)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", NAMES)
def test_samples(name, dtype):
    operation = operations[name]
    backend = get_backend("numpy")
    count = 0
    for sample in resolve(operation.samples)(np.random.default_rng(0), np.dtype(dtype)):
        args = [backend.make_generator(x.seed) if isinstance(x, Seeded) else x for x in sample.args]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if isinstance(operation, ListOperation):
                args[: operation.lists] = [[x] for x in args[: operation.lists]]
            y = operation.reference.forward(*args)
            if operation.reference.backward is not None:
                gy = np.ones_like(many(y)[0])
                operation.reference.backward(*sample.backward(tuple(args), y, gy))
        count += 1
    assert count > 2


X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
ROW = np.linspace(1, 2, 4, dtype=np.float32)
CALLS = {
    "relu": lambda x: F.relu(x),
    "sigmoid": lambda x: F.sigmoid(x),
    "tanh": lambda x: F.tanh(x),
    "erf": lambda x: F.erf(x),
    "gelu": lambda x: F.gelu(x),
    "gelu_tanh": lambda x: F.gelu(x, approximate=True),
    "silu": lambda x: F.silu(x),
    "hard_sigmoid": lambda x: F.hard_sigmoid(x),
    "clipped_relu": lambda x: F.clipped_relu(x),
    "leaky_relu": lambda x: F.leaky_relu(x),
    "elu": lambda x: F.elu(x, 2.0),
    "softplus": lambda x: F.softplus(x),
    "softmax": lambda x: F.softmax(x),
    "log_softmax": lambda x: F.log_softmax(x),
    "softmax_cross_entropy": lambda x: F.softmax_cross_entropy(x, np.array([0, 3, -1])),
    "dropout": lambda x: F.dropout(x, 0.3),
    "dropout_add": lambda x: F.dropout_add(x, X, 0.3),
    "lstm": lambda x: F.lstm(np.ones((3, 1), np.float32), x)[1],
    "embed_id_gradient": lambda x: F.embed_id(np.array([0, 2, 2]), x),
    "batch_normalization_fixed": lambda x: F.fixed_batch_normalization(x, ROW, ROW, ROW, ROW),
    "window_sum": lambda x: F.average_pooling_1d(x[None], 2),
    "window_spread": lambda x: F.average_pooling_1d(x[None], 2),
    "layer_normalization": lambda x: F.layer_normalization(x, ROW, ROW),
    "rms_normalization": lambda x: F.rms_normalization(x, ROW),
    "swiglu": lambda x: F.swiglu(x, X),
    "linear_relu": lambda x: F.linear_relu(x, X),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_kernel_serves_forward_and_backward(name, monkeypatch):
    """One that is the reference, and says when it was called."""
    operation, called = operations[name], []

    def run():
        random.seed(3)
        x = Variable(X.copy())
        y = CALLS[name](x)
        y.grad = np.ones_like(y.array)
        y.backward()
        return y.array, x.grad

    def say(which):
        def call(*args):
            called.append(which)
            return getattr(operation.reference, which)(*args)

        return call

    def run_with(implementation):
        monkeypatch.setattr(operation, "chain", lambda backend: (implementation,))
        operation.forget()
        try:
            return run()
        finally:
            operation.forget()

    has_backward = operation.reference.backward is not None
    right = run_with(operation.reference)
    got = run_with(Implementation("kernel", say("forward"), say("backward") if has_backward else None))
    assert called == (["forward", "backward"] if has_backward else ["forward"])
    for a, b in zip(got, right, strict=True):
        np.testing.assert_array_equal(a, b)


LISTS = {
    "softmax": lambda: F.softmax([1.0]),
    "log_softmax": lambda: F.log_softmax([1.0]),
    "dropout": lambda: F.dropout([1.0]),
    "lstm": lambda: F.lstm([1.0], X),
    "embed_id": lambda: F.embed_id(np.array([1]), [[1.0]]),
    "layer_normalization": lambda: F.layer_normalization([1.0], ROW, ROW),
    "batch_normalization": lambda: F.batch_normalization(X, ROW, [1.0]),
    "fixed_batch_normalization": lambda: F.fixed_batch_normalization(X, ROW, ROW, [1.0], ROW),
    "softmax_cross_entropy": lambda: F.softmax_cross_entropy(X, [0, 1, 2]),
    "average_pooling_2d": lambda: F.average_pooling_2d([1.0], 2),
    "max_pooling_2d": lambda: F.max_pooling_2d([1.0], 2),
}


@pytest.mark.parametrize("name", sorted(LISTS))
def test_a_list_is_refused_by_the_name_of_the_function(name):
    with pytest.raises(InvalidType, match=f"^{name}: .*got list"):
        LISTS[name]()


def test_a_mask_can_be_had_from_a_kernel_that_keeps_none(monkeypatch):
    operation = operations["dropout"]
    kernel = types.SimpleNamespace(forward=lambda x, g, r: (x * 2, None), backward=lambda kept, gy, r: gy * 2)
    chosen = Implementation("kernel", kernel.forward, kernel.backward)
    monkeypatch.setattr(operation, "chain", lambda backend: (chosen,))
    operation.forget()
    try:
        y, mask = F.dropout(X, 0.5, return_mask=True)
    finally:
        operation.forget()
    np.testing.assert_array_equal(y.array, X * mask)
