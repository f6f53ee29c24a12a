import itertools

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_backend, to_host
from renga_core.graph import InvalidType
from renga_nn.links import BinaryHierarchicalSoftmax
from renga_testing.link_suite import LinkSuite

TREE = ((0, (3, 1)), (4, (2, 5)))
CHAIN = (0, (1, (2, (3, (4, 5)))))


def probabilities(W, x, tree):
    """Of all classes, by walking down the tree; its nodes are numbered in the order of the walk."""
    number = itertools.count()
    found = {}

    def walk(below, p):
        if not isinstance(below, tuple):
            found[below] = p
            return
        left = 1 / (1 + np.exp(-W[next(number)] @ x))
        walk(below[0], p * left)
        walk(below[1], p * (1 - left))

    walk(tree, 1.0)
    return found


class TestBinaryHierarchicalSoftmax(LinkSuite):
    cases = {"balanced": {"tree": TREE}, "a chain": {"tree": CHAIN}, "not all classes": {"tree": ((0, 5), (2, 1))}}
    bad_inputs = {
        "features": ((np.ones((4, 2)),), InvalidType, ("BinaryHierarchicalSoftmax: x", "(N, 3)", "(4, 2)")),
        "rows": ((np.ones((3, 3)),), InvalidType, ("BinaryHierarchicalSoftmax: t", "integers (3,)", "(4,)")),
    }
    labels = np.array([0, 5, 2, 1])

    def make_link(self):
        return BinaryHierarchicalSoftmax(3, self.tree)

    def make_inputs(self, rng, dtype):
        return (rng.normal(size=(4, 3)).astype(dtype),)

    def call(self, link, x):
        return link(x, link.device.send(self.labels if x.shape[0] else self.labels[:0]))

    def reference(self, params, x):
        return (
            sum(-np.log(probabilities(params["W"], v, self.tree)[y]) for v, y in zip(x, self.labels, strict=False))
            + 0.0
        )

    def empty_inputs(self, dtype):
        return (np.zeros((0, 3), dtype),)


def test_classes_that_are_not_there():
    link = BinaryHierarchicalSoftmax(2, ((0, 5), 2))
    x = np.ones((2, 2))
    with pytest.raises(ValueError, match="labels from 0 to 6, but classes are 0 to 5"):
        link(x, np.array([0, 6]))
    with pytest.raises(ValueError, match="classes that are not leaves"):
        link(x, np.array([0, 3]))


@pytest.mark.parametrize(
    ("tree", "message"),
    [((0, 1, 2), "inner node must be a pair"), ((0, "one"), "a leaf is the number of a class"), ((0, (1, 0)), "twice")],
)
def test_what_is_no_tree(tree, message):
    with pytest.raises(ValueError, match=message):
        BinaryHierarchicalSoftmax(2, tree)


def test_a_deep_tree():
    """Deeper than Python's stack."""
    tree = 0
    for k in range(1, 2000):
        tree = (k, tree)
    link = BinaryHierarchicalSoftmax(2, tree)
    assert link.W.shape == (1999, 2)
    assert np.isfinite(link(np.ones((1, 2)), np.array([0])).item())


def test_samples_have_the_probabilities_of_their_classes(device):
    link = BinaryHierarchicalSoftmax(3, TREE).to_device(device)
    v = np.array([0.5, -1.0, 1.0])
    random.seed(0)
    samples = link.sample(device.send(np.tile(v, (20_000, 1))))
    assert get_backend(samples) is device.backend
    assert samples.shape == (20_000,)
    shares = np.bincount(to_host(samples), minlength=6) / 20_000
    for label, p in probabilities(to_host(link.W.array), v, TREE).items():
        assert abs(shares[label] - p) < 4 * np.sqrt(p * (1 - p) / 20_000)


def test_one_class_only():
    link = BinaryHierarchicalSoftmax(3, BinaryHierarchicalSoftmax.create_huffman_tree({2: 7}))
    x = np.ones((4, 3))
    assert link(x, np.full(4, 2)).item() == 0
    assert link.sample(x).tolist() == [2] * 4


def test_huffman_trees_have_the_least_mean_depth():
    rng = np.random.default_rng(0)
    for _ in range(10):
        counts = dict(enumerate(rng.integers(1, 20, 5).tolist()))

        def cost(tree, depth=0, counts=counts):
            return sum(cost(t, depth + 1) for t in tree) if isinstance(tree, tuple) else depth * counts[tree]

        def all_trees(leaves):
            if len(leaves) == 1:
                yield leaves[0]
            for k in range(1, len(leaves)):
                yield from itertools.product(all_trees(leaves[:k]), all_trees(leaves[k:]))

        best = min(cost(t) for order in itertools.permutations(counts) for t in all_trees(order))
        assert cost(BinaryHierarchicalSoftmax.create_huffman_tree(counts)) == best


def test_no_counts():
    with pytest.raises(ValueError, match="word_counts is empty"):
        BinaryHierarchicalSoftmax.create_huffman_tree({})
