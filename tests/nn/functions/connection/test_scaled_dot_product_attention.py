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
    [(np.ones((5, 4), bool), r"mask: expected .*\(2, 3, 4\)"), (np.ones((3, 4), int), "mask: expected truth values")],
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
