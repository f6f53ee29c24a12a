"""Attention of heads whose scores are kept, against formulas in float64: tiles, and what is left beside them."""

import numpy as np
import pytest

from renga_kernels_numba.attention import Attention, supports

SIZES = {
    "less than a tile": (1, 3, 16, 16),
    "blocks of queries": (53, 53, 32, 16),
    "more keys than queries": (14, 70, 16, 48),
}


def expected(q, k, v, gy, causal, scale):
    """Result and gradients of q, k and v."""
    q, k, v, gy = (a.astype(float) for a in (q, k, v, gy))
    scores = scale * q @ k.swapaxes(-1, -2)
    if causal:
        scores[..., np.triu(np.ones(scores.shape[-2:], bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    gweights = gy @ v.swapaxes(-1, -2)
    gscores = scale * weights * (gweights - (weights * gweights).sum(-1, keepdims=True))
    return weights @ v, gscores @ k, gscores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ gy


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", SIZES)
def test_forward_and_backward(name, causal):
    queries, keys, features, outputs = SIZES[name]
    rng = np.random.default_rng(0)
    shapes = [(2, queries, 3, features), (2, keys, 3, features), (2, keys, 3, outputs), (2, queries, 3, outputs)]
    # Heads of one sequence lie side by side, as a layer of a transformer makes them.
    q, k, v, gy = [rng.standard_normal(shape).astype(np.float32).swapaxes(1, 2) for shape in shapes]
    if not supports(q, k, v, None, None, causal, 0.3):
        pytest.skip("no tiles for this processor")
    y, kept = Attention.forward(q, k, v, None, None, causal, 0.3)
    found = y, *Attention.backward(q, k, v, None, None, causal, 0.3, y, kept, gy)
    for one, other in zip(found, expected(q, k, v, gy, causal, 0.3), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
