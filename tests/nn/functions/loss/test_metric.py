"""contrastive, triplet, discriminative_margin_based_clustering_loss."""

import numpy as np
import pytest

from renga_core.graph import InvalidType, Variable, grad
from renga_nn.functions import contrastive, discriminative_margin_based_clustering_loss, triplet
from renga_testing.function_suite import FunctionSuite

ROWS, TWO = np.zeros((4, 3)), np.zeros((2, 3))


class TestContrastive(FunctionSuite):
    cases = {
        "mean": {"options": {"margin": 2.0}},
        "not reduced": {"options": {"margin": 2.0, "reduce": "no"}},
        "default": {"options": {}},
    }
    bad_inputs = {
        "shapes": ((ROWS, TWO, np.zeros(4, int)), InvalidType, ("contrastive", "x1", "(4, 3)", "(2, 3)")),
        "labels": ((ROWS, ROWS, np.zeros(3, int)), InvalidType, ("contrastive", "y", "(4,)", "(3,)")),
        "floating": ((ROWS, ROWS, np.zeros(4)), InvalidType, ("contrastive", "y", "integers", "float64")),
        "list": ((ROWS, ROWS, [0, 1, 0, 1]), InvalidType, ("contrastive", "y", "integers", "list")),
        "vector": ((np.zeros(4), np.zeros(4), np.zeros(4, int)), InvalidType, ("contrastive", "x0", "(N, K)", "(4,)")),
    }

    def make_inputs(self, rng, dtype):
        x0, x1 = (rng.uniform(-1, 1, (5, 3)).astype(dtype) for _ in range(2))
        return x0, x1, np.array([1, 0, 1, 0, 0])

    def call(self, x0, x1, y):
        return contrastive(x0, x1, y, **self.options)

    def reference(self, x0, x1, y):
        margin = self.options.get("margin", 1)
        loss = np.zeros(len(y))
        for n, alike in enumerate(y):
            d = np.linalg.norm(x0[n] - x1[n])
            loss[n] = d**2 / 2 if alike else max(margin - d, 0) ** 2 / 2
        return loss if "reduce" in self.options else loss.sum() / max(1, len(y))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3), dtype), np.zeros((0, 3), dtype), np.zeros(0, int)


def test_equal_pairs_have_a_finite_gradient():
    x = Variable(np.ones((2, 3)))
    loss = contrastive(x, np.ones((2, 3)), np.array([1, 0]), reduce="no")
    assert loss.array.tolist() == [0, 0.5]
    (gx,) = grad([loss], [x])
    assert not gx.array.any()


class TestTriplet(FunctionSuite):
    cases = {
        "mean": {"options": {}},
        "not reduced": {"options": {"margin": 1.0, "reduce": "no"}},
    }
    bad_inputs = {
        "shapes": ((ROWS, ROWS, TWO), InvalidType, ("triplet", "negative", "(4, 3)", "(2, 3)")),
        "dtypes": ((ROWS, ROWS.astype("f"), ROWS), InvalidType, ("triplet", "positive", "float64", "float32")),
        "vector": ((np.zeros(4),) * 3, InvalidType, ("triplet", "anchor", "(N, K)", "(4,)")),
    }

    def make_inputs(self, rng, dtype):
        return tuple(rng.uniform(-1, 1, (5, 3)).astype(dtype) for _ in range(3))

    def call(self, anchor, positive, negative):
        return triplet(anchor, positive, negative, **self.options)

    def reference(self, anchor, positive, negative):
        near, far = (np.linalg.norm(anchor - x, axis=1) ** 2 for x in (positive, negative))
        loss = np.maximum(0, near - far + self.options.get("margin", 0.2))
        return loss if "reduce" in self.options else loss.sum() / max(1, len(loss))

    def empty_inputs(self, dtype):
        return tuple(np.zeros((0, 3), dtype) for _ in range(3))


def test_words_and_numbers():
    with pytest.raises(ValueError, match="triplet: margin is 0"):
        triplet(ROWS, ROWS, ROWS, margin=0)
    with pytest.raises(ValueError, match="contrastive: margin is -1"):
        contrastive(ROWS, ROWS, np.zeros(4, int), margin=-1)
    with pytest.raises(ValueError, match="contrastive: reduce is 'sum'"):
        contrastive(ROWS, ROWS, np.zeros(4, int), reduce="sum")
    with pytest.raises(ValueError, match="triplet: reduce is 'sum'"):
        triplet(ROWS, ROWS, ROWS, reduce="sum")


EVERYWHERE = [[[1, 1, 2, 3], [0, 2, 3, 3]], [[2, 1, 1, 3], [3, 3, 0, 2]]]
SOME = [[[1, 1, 0, 0], [1, 1, 1, 5]], [[1, 1, 0, 3], [3, 3, 0, -1]]]
NONE = np.zeros((2, 2, 4), int)


class TestDiscriminativeMarginBasedClusteringLoss(FunctionSuite):
    cases = {
        "everywhere": {"labels": EVERYWHERE, "norm": 1},
        "everywhere, Euclidean": {"labels": EVERYWHERE, "norm": 2},
        "some": {"labels": SOME, "norm": 1},
        "some, Euclidean": {"labels": SOME, "norm": 2},
        "none": {"labels": NONE, "norm": 2},
    }
    bad_inputs = {
        "dimensions": ((np.zeros((1, 2, 2, 4)), NONE[:1]), InvalidType, ("embeddings", "(N, 3, H, W)", "(1, 2, 2, 4)")),
        "labels": ((np.zeros((2, 3, 2, 3)), NONE), InvalidType, ("labels", "(2, 2, 3)", "(2, 2, 4)")),
        "floating": ((np.zeros((2, 3, 2, 4)), np.zeros((2, 2, 4))), InvalidType, ("labels", "integers", "float64")),
        "integers": ((np.zeros((2, 3, 2, 4), int), NONE), InvalidType, ("embeddings", "a floating dtype", "int64")),
    }

    def make_inputs(self, rng, dtype):
        return rng.uniform(-1, 1, (2, 3, 2, 4)).astype(dtype), np.array(self.labels)

    def call(self, embeddings, labels):
        options = {"norm": self.norm, "alpha": 0.5, "beta": 2.0, "gamma": 3.0}
        return discriminative_margin_based_clustering_loss(embeddings, labels, 0.2, 0.9, 3, **options)

    def reference(self, embeddings, labels):
        """Instance by instance, pair by pair."""
        means, deviations = {}, {1: [], 2: [], 3: []}
        for n, c in np.ndindex(len(labels), 3):
            pixels = embeddings[n][:, labels[n] == c + 1].T
            if len(pixels):
                means[n, c] = pixels.mean(axis=0)
                deviations[c + 1] += [np.linalg.norm(x - means[n, c], self.norm) for x in pixels]
        variances = [np.mean(np.maximum(0, np.array(d) - 0.2) ** 2) for d in deviations.values() if d]
        distances = [
            max(0, 1.8 - np.linalg.norm(means[n, c] - means[m, d], self.norm)) ** 2
            for n, c in means
            for m, d in means
            if n == m and c < d
        ]
        lengths = [np.linalg.norm(m, self.norm) for m in means.values()]
        total = [np.mean(values) if values else 0.0 for values in (variances, distances, lengths)]
        return tuple(np.array(factor * value) for factor, value in zip((0.5, 2.0, 3.0), total, strict=True))

    def empty_inputs(self, dtype):
        return np.zeros((0, 3, 2, 4), dtype), np.zeros((0, 2, 4), int)


def test_norm():
    with pytest.raises(ValueError, match="norm is 3; it must be 1 or 2"):
        discriminative_margin_based_clustering_loss(np.zeros((1, 1, 1, 1)), NONE, 1, 1, 1, norm=3)
