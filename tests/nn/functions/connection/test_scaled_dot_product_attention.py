import importlib
import tracemalloc

import numpy as np
import pytest

from renga_core import random
from renga_core.configuration import using_config
from renga_core.graph import InvalidType, Variable
from renga_nn.functions.connection import scaled_dot_product_attention
from renga_testing.function_suite import FunctionSuite

SEEN = np.array([[1, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], bool)
NUMBERS = np.linspace(-2, 2, 12).reshape(3, 4)


class TestScaledDotProductAttention(FunctionSuite):
    cases = {
        "plain": {},
        "one sequence": {"front": ()},
        "heads": {"front": (2, 2), "causal": True},
        "truth values, and a query that sees nothing": {"mask": SEEN},
        "numbers": {"mask": NUMBERS, "causal": True, "scale": 0.3},
        "a mask for each": {"mask": np.stack([SEEN[0], SEEN[2]])[:, None]},
    }
    front, mask, causal, scale = (2,), None, False, None
    bad_inputs = {
        "other features": (
            (np.ones((3, 2)), np.ones((3, 4)), np.ones((3, 4))),
            InvalidType,
            ["scaled_dot_product_attention: key", "('S', 2)", "(3, 4)"],
        ),
        "other batches": ((np.ones((2, 3, 2)), np.ones((3, 2)), np.ones((3, 2))), InvalidType, ["key"]),
        "no keys": ((np.ones((3, 2)), np.ones((0, 2)), np.ones((0, 2))), InvalidType, ["key", "at least one"]),
        "fewer values": ((np.ones((3, 2)), np.ones((4, 2)), np.ones((3, 2))), InvalidType, ["value", "(4, 'E')"]),
        "two dtypes": (
            (np.ones((3, 2)), np.ones((4, 2), np.float32), np.ones((4, 2))),
            InvalidType,
            ["key", "float64", "float32"],
        ),
        "integers": ((np.ones((3, 2), int), np.ones((4, 2)), np.ones((4, 2))), InvalidType, ["query", "floating"]),
        "a vector": ((np.ones(3), np.ones((4, 3)), np.ones((4, 3))), InvalidType, ["query", "2 axes"]),
    }
    tolerances = {"float16": 5e-3, "float32": 2e-5, "float64": 1e-11}

    def make_inputs(self, rng, dtype):
        shapes = (3, 2), (4, 2), (4, 5)
        return tuple(rng.normal(size=(*self.front, *shape)).astype(dtype) for shape in shapes)

    def call(self, query, key, value):
        mask = self.mask_for(query)
        if mask is not None and mask.dtype.kind == "f":
            mask = mask.astype(query.dtype)
        return scaled_dot_product_attention(query, key, value, mask, causal=self.causal, scale=self.scale)

    def mask_for(self, query):
        """The mask; one for each batch goes when the batches go."""
        return self.mask[:0] if np.ndim(self.mask) == 3 and query.shape[0] == 0 else self.mask

    def reference(self, query, key, value):
        """Query by query, leaving out the keys that are not seen."""
        scale = 1 / np.sqrt(2) if self.scale is None else self.scale
        shape = query.shape[:-1]
        y = np.zeros((*shape, 5))
        mask = np.broadcast_to(True if self.mask is None else self.mask_for(query), (*shape, 4))
        for at in np.ndindex(*shape):
            t, batch = at[-1], at[:-1]
            seen = np.arange(4) <= t if self.causal else np.ones(4, bool)
            scores = key[batch] @ query[at] * scale
            if mask.dtype == bool:
                seen = seen & mask[at]
            else:
                scores = scores + mask[at]
            if seen.any():
                e = np.exp(scores[seen] - scores[seen].max())
                y[at] = e / e.sum() @ value[batch][seen]
        return y

    def empty_inputs(self, dtype):
        front = (0, *self.front[1:]) if self.front else ()
        queries = 3 if self.front else 0
        return tuple(np.ones((*front, *shape), dtype) for shape in ((queries, 2), (4, 2), (4, 5)))


def inputs():
    rng = np.random.default_rng(0)
    return [Variable(rng.normal(size=shape)) for shape in ((2, 3, 2), (2, 4, 2), (2, 4, 2))]


def test_dropout_in_training_only():
    query, key, value = inputs()
    with using_config("train", False):
        plain = scaled_dot_product_attention(query, key, value, dropout_ratio=0.5)
    np.testing.assert_array_equal(plain.array, scaled_dot_product_attention(query, key, value).array)


def test_dropout_is_of_weights():
    query, key, _ = inputs()
    one_hot = np.broadcast_to(np.eye(4), (2, 4, 4)).copy()  # so that the result is the weights
    weights = scaled_dot_product_attention(query, key, one_hot).array
    random.seed(0)
    dropped = scaled_dot_product_attention(query, key, one_hot, dropout_ratio=0.25).array
    kept = dropped != 0
    assert 0 < kept.sum() < kept.size
    np.testing.assert_allclose(dropped[kept], weights[kept] / 0.75)


@pytest.mark.parametrize("double", [False, True])
def test_the_gradient_with_dropout(double):
    """Numerically, with the same random numbers each time; by either path."""

    def run(arrays):
        random.seed(1)
        variables = [Variable(x) for x in arrays]
        return variables, scaled_dot_product_attention(*variables, dropout_ratio=0.5)

    arrays = [x.array for x in inputs()]
    variables, y = run(arrays)
    gy = np.random.default_rng(1).normal(size=y.shape)
    y.grad = gy
    y.backward(enable_double_backprop=double)
    for i, variable in enumerate(variables):
        direction = np.random.default_rng(i).normal(size=variable.shape)
        there, back = ([x + s * direction if k == i else x for k, x in enumerate(arrays)] for s in (1e-6, -1e-6))
        numeric = ((run(there)[1].array - run(back)[1].array) * gy).sum() / 2e-6
        np.testing.assert_allclose((variable.grad * direction).sum(), numeric, rtol=1e-6)


@pytest.mark.parametrize(
    ("mask", "expected"),
    [(np.ones((5, 4), bool), r"mask: expected .*\(2, 3, 4\)"), (np.ones((3, 4), int), "mask: expected booleans")],
)
def test_masks_that_do_not_fit(mask, expected):
    with pytest.raises(InvalidType, match=expected):
        scaled_dot_product_attention(*inputs(), mask)


def test_a_ratio_out_of_range():
    with pytest.raises(ValueError, match="dropout_ratio is 1; it must be"):
        scaled_dot_product_attention(*inputs(), dropout_ratio=1.0)


@pytest.mark.torch
@pytest.mark.parametrize("causal", [False, True])
def test_agrees_with_pytorch(causal):
    torch = pytest.importorskip("torch")
    variables = inputs()
    tensors = [torch.tensor(v.array, requires_grad=True) for v in variables]
    y = scaled_dot_product_attention(*variables, causal=causal)
    expected = torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal)
    np.testing.assert_allclose(y.array, expected.detach().numpy())
    y.grad = gy = np.cos(np.arange(y.size)).reshape(y.shape)
    y.backward()
    expected.backward(torch.tensor(gy))
    for v, t in zip(variables, tensors, strict=True):
        np.testing.assert_allclose(v.grad, t.grad.numpy(), atol=1e-12)


@pytest.mark.parametrize("length", [3, 80])  # the second is long enough for kernels
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("mask", [None, "sees none"])
def test_what_is_not_finite_shows(length, number, mask):
    """Also where a query sees no key: zeros there would hide that training has gone astray."""
    query = np.ones((2, length, 16), np.float32)
    query[0, 1] = number
    seen = None if mask is None else np.arange(length)[:, None] != 1
    with np.errstate(invalid="ignore"):
        y = scaled_dot_product_attention(query, np.ones_like(query), np.ones_like(query), seen).array
    # Minus infinity is also what a key that is not seen has: a row of it is one that sees none, where that is so.
    assert np.isnan(y[0, 1]).all() == (mask is None or number != -np.inf)
    assert np.isfinite(np.delete(y[0], 1, axis=0)).all()
    assert np.isfinite(y[1]).all()


# --- heads that share keys, and a cache -------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"causal": True}, {"mask": SEEN[:, :4]}])
@pytest.mark.parametrize("heads", [1, 2])
def test_heads_that_share_keys(heads, more):
    """As if each had its own copy; and the gradient of a key is the sum of those of its copies."""
    rng = np.random.default_rng(0)
    query = Variable(rng.normal(size=(2, 4, 3, 2)))
    few = [Variable(rng.normal(size=(2, heads, 4, size))) for size in (2, 5)]
    many = [Variable(np.repeat(x.array, 4 // heads, axis=1)) for x in few]
    results = [scaled_dot_product_attention(query, *pair, **more) for pair in (few, many)]
    np.testing.assert_allclose(results[0].array, results[1].array, rtol=1e-12)
    for y in results:
        y.grad = np.cos(np.arange(y.size)).reshape(y.shape)
        y.backward()
    for x, copies in zip(few, many, strict=True):
        expected = copies.grad.reshape(2, heads, 4 // heads, *x.shape[2:]).sum(axis=2)
        np.testing.assert_allclose(x.grad, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mask", [None, SEEN.repeat(2, axis=0), np.linspace(-1, 1, 24).reshape(6, 4)])
def test_queries_that_come_later(mask):
    """They see what they would see in the whole sequence."""
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(3, 2, 6, 4))[:, :, :6]
    mask = None if mask is None else np.concatenate([mask, mask[:, :2]], axis=1)
    whole = scaled_dot_product_attention(query, key, value, mask, causal=True).array
    for offset in (1, 4, 5):
        part = None if mask is None else mask[offset:]
        y = scaled_dot_product_attention(query[:, offset:], key, value, part, causal=True, offset=offset)
        np.testing.assert_allclose(y.array, whole[:, offset:], rtol=1e-12)


# --- long sequences ---------------------------------------------------------------------------------------------------

MODULES = ["renga_nn.functions.connection.attention_reference", "renga_kernels_onednn.attention"]


def small_blocks(monkeypatch):
    """Blocks of three rows, from the first score on."""
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:  # without oneDNN
            continue
        monkeypatch.setattr(module, "_FEW", 0)
    monkeypatch.setattr(importlib.import_module(MODULES[0]), "_BLOCK", 3 * 66)
    blocks = importlib.import_module("renga_kernels_onednn.attention_blocks")
    monkeypatch.setattr(blocks, "_SCORES", 3 * 66)


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"causal": True},
        {"causal": True, "mask": np.arange(66) % 3 > 0},
        {"mask": np.linspace(-2, 2, 65 * 66, dtype=np.float32).reshape(65, 66)},
        {"mask": np.arange(65)[:, None] != 4},
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_compute_the_same(dtype, more, keep, monkeypatch):
    """As all at once, in float64: result and gradients, by the kernel that float32 has, and by the reference."""
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(2, 2, length, 5)).astype(dtype) for length in (65, 66, 66)]
    gy = rng.normal(size=(2, 2, 65, 5)).astype(dtype)
    found = []
    for wanted in (np.float64, dtype):
        random.seed(0)
        variables = [Variable(x.astype(wanted)) for x in arrays]
        y = scaled_dot_product_attention(*variables, **more, dropout_ratio=0.4 * keep)
        y.grad = gy.astype(wanted)
        y.backward()
        found.append([y.array, *[v.grad for v in variables]])
        small_blocks(monkeypatch)
    for right, got in zip(*found, strict=True):
        np.testing.assert_allclose(got, right, rtol=0, atol=2e-5 if dtype == np.float32 else 1e-12)


def test_what_is_not_finite_shows_in_blocks(monkeypatch):
    small_blocks(monkeypatch)
    query = Variable(np.ones((2, 80, 16), np.float32))
    query.array[0, 1] = np.nan
    y = scaled_dot_product_attention(query, np.ones((2, 80, 16), np.float32), np.ones((2, 80, 16), np.float32))
    y.grad = np.ones_like(y.array)
    y.backward()
    for rows in (y.array, query.grad):
        assert np.isnan(rows[0, 1]).all()
        assert np.isfinite(np.delete(rows[0], 1, axis=0)).all()


def test_long_sequences_take_little_memory():
    """Less than a quarter of what all scores would take."""
    query = Variable(np.random.default_rng(0).normal(size=(1, 4096, 8)).astype(np.float32))
    tracemalloc.start()
    y = scaled_dot_product_attention(query, query.array, query.array, causal=True)
    y.grad = y.array
    y.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 4096**2 / 4
