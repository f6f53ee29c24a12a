import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable
from renga_nn.functions.loss import black_out, negative_sampling
from renga_testing.function_suite import FunctionSuite

SAMPLES = np.array([[1, 4, 1], [0, 2, 3], [2, 0, 4], [3, 3, 3]])
"""With a repetition, and without the right class of the row."""


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class SampledSuite(FunctionSuite):
    cases = {
        "default": {"options": {}},
        "of each": {"options": {"reduce": "no"}},
        "one does not count": {"t": np.array([3, -1, 1, 0]), "options": {}},
        "one does not count, of each": {"t": np.array([3, -1, 1, 0]), "options": {"reduce": "no"}},
    }
    t = np.array([3, 4, 1, 0])

    def make_inputs(self, rng, dtype):
        return rng.uniform(-1, 1, (4, 3)).astype(dtype), rng.uniform(-1, 1, (5, 3)).astype(dtype)

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.ones((5, 3), dtype)


BAD_INPUTS = {
    "integers": ((np.zeros((4, 3), int), np.zeros((5, 3))), InvalidType, ["{}: x", "floating"]),
    "axes": ((np.zeros((4, 3, 2)), np.zeros((5, 3))), InvalidType, ["{}: x", "(N, D)"]),
    "features": ((np.zeros((4, 3)), np.zeros((5, 2))), InvalidType, ["{}: W", "(V, 3)", "(5, 2)"]),
    "dtypes": ((np.zeros((4, 3)), np.zeros((5, 3), "f")), InvalidType, ["{}: W", "float64", "float32"]),
    "rows": ((np.zeros((2, 3)), np.zeros((5, 3))), InvalidType, ["{}: t", "integers (2,)", "(4,)"]),
    "classes": ((np.zeros((4, 3)), np.zeros((3, 3))), ValueError, ["{}: t", "labels from 0 to 4", "0 to 2"]),
}


def bad_inputs_of(name):
    return {
        case: (inputs, error, [part.format(name) for part in parts])
        for case, (inputs, error, parts) in BAD_INPUTS.items()
    }


class TestNegativeSampling(SampledSuite):
    bad_inputs = bad_inputs_of("negative_sampling")

    def call(self, x, W):
        def sampler(shape):
            wide = np.concatenate((SAMPLES[:, :1], SAMPLES), axis=1)
            return x.device.send(wide[: shape[0], : shape[1]])

        return negative_sampling(x, x.device.send(self.t if x.shape[0] else self.t[:0]), W, sampler, 3, **self.options)

    def reference(self, x, W):
        loss = np.zeros(len(x))
        for n, label in enumerate(self.t[: len(x)]):
            if label >= 0:
                loss[n] = -np.log(sigmoid(x[n] @ W[label])) - np.log(sigmoid(-W[SAMPLES[n]] @ x[n])).sum()
        return loss if "reduce" in self.options else loss.sum()


class TestBlackOut(SampledSuite):
    bad_inputs = bad_inputs_of("black_out")

    def call(self, x, W):
        send = x.device.send
        rows = x.shape[0]
        return black_out(x, send(self.t if rows else self.t[:0]), W, send(SAMPLES[:rows]), **self.options)

    def reference(self, x, W):
        loss = np.zeros(len(x))
        for n, label in enumerate(self.t[: len(x)]):
            if label >= 0:
                scores = np.exp(W[[label, *SAMPLES[n]]] @ x[n])
                p = scores / scores.sum()
                loss[n] = -np.log(p[0]) - np.log(1 - p[1:]).sum()
        return loss if "reduce" in self.options else loss.sum() / max(1, (self.t[: len(x)] >= 0).sum())


def test_the_samples_can_be_had():
    x, W = np.zeros((2, 3)), np.zeros((5, 3))
    loss, samples = negative_sampling(
        x, np.array([4, -1]), W, lambda shape: np.ones(shape, int), 2, return_samples=True
    )
    assert loss.item() == pytest.approx(3 * np.log(2))
    assert samples.tolist() == [[4, 1, 1], [-1, 1, 1]]


def test_a_sample_that_is_certain():
    """The other class has a probability that rounds to 1: the loss is large but finite, and so is its gradient."""
    x, W = Variable(np.array([[1.0]], "f")), Variable(np.array([[0.0], [100.0]], "f"))
    loss = black_out(x, np.array([0]), W, np.array([[1]]))
    loss.backward()
    assert 100 < loss.item() < 130
    assert np.isfinite(W.grad).all()


def test_words_and_samples():
    x, t, W = np.zeros((1, 2)), np.array([0]), np.zeros((3, 2))
    with pytest.raises(ValueError, match="negative_sampling: reduce is 'mean'; choose from 'sum', 'no'"):
        negative_sampling(x, t, W, None, 1, reduce="mean")
    with pytest.raises(ValueError, match="black_out: reduce is 'sum'; choose from 'mean', 'no'"):
        black_out(x, t, W, None, reduce="sum")
    with pytest.raises(InvalidType, match=r"samples: expected integers \(1, S\), got int64 \(2, 1\)"):
        black_out(x, t, W, np.zeros((2, 1), int))
    with pytest.raises(ValueError, match="labels from 7 to 7"):
        black_out(x, t, W, np.array([[7]]))
