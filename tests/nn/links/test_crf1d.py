import itertools

import numpy as np
import pytest

from renga_core.graph import InvalidType
from renga_nn.links import CRF1d
from renga_testing.link_suite import LinkSuite

CLASSES = 3


def all_scores(cost, sequence):
    """The score of every labelling."""
    scores = {}
    for labels in itertools.product(range(CLASSES), repeat=len(sequence)):
        score = sum(x[y] for x, y in zip(sequence, labels, strict=True))
        scores[labels] = score + sum(cost[a, b] for a, b in itertools.pairwise(labels))
    return scores


class TestCRF1d(LinkSuite):
    cases = {
        "sequences": {"transpose": True, "reduce": "no"},
        "mean": {"transpose": True, "reduce": "mean"},
    }
    bad_inputs = {
        "classes": ((np.zeros((2, 4)), np.zeros((1, 4)), np.zeros((3, 4))), InvalidType, ("crf1d", "(B_t, 3)"))
    }
    labels = (np.array([0, 2]), np.array([1]), np.array([1, 0, 2]))

    def make_link(self):
        return CRF1d(CLASSES, initial_cost="lecun_normal" if self.reduce == "mean" else None)

    def make_inputs(self, rng, dtype):
        sequences = [rng.normal(size=(len(y), CLASSES)).astype(dtype) for y in self.labels]
        return tuple(sequences if self.transpose else steps_of(sequences))

    def call(self, link, *xs):
        labels = self.labels if self.transpose else steps_of(self.labels)
        if not len(xs[0]):
            labels = [y[:0] for y in labels[: len(xs)]]
        return link(xs, [link.device.send(y) for y in labels], self.reduce, transpose=self.transpose)

    def reference(self, params, *xs):
        if not len(xs[0]):
            return np.zeros(0)
        if not self.transpose:
            xs = [np.array([x[n] for x in xs if n < len(x)]) for n in range(3)]
        labels = self.labels if self.transpose else sorted(self.labels, key=len, reverse=True)
        losses = []
        for x, y in zip(xs, labels, strict=True):
            scores = all_scores(params["cost"], x)
            losses.append(np.log(sum(np.exp(s) for s in scores.values())) - scores[tuple(y)])
        return np.array(losses) if self.reduce == "no" else np.mean(losses)


class TestCRF1dOfSteps(TestCRF1d):
    subjects = ("crf1d",)
    cases = {"steps": {"transpose": False, "reduce": "no"}}
    bad_inputs = {}

    def empty_inputs(self, dtype):
        """No sequences."""
        return tuple([np.zeros((0, CLASSES), dtype)] * 2)


def steps_of(sequences):
    """For each step what the sequences have there, the longest sequence first."""
    sequences = sorted(sequences, key=len, reverse=True)
    return [np.array([s[t] for s in sequences if t < len(s)]) for t in range(len(sequences[0]))]


@pytest.mark.parametrize("transpose", [True, False])
def test_the_best_labels(device, transpose):
    rng = np.random.default_rng(1)
    cost = rng.normal(size=(CLASSES, CLASSES))
    link = CRF1d(CLASSES, initial_cost=cost).to_device(device)
    sequences = [rng.normal(size=(length, CLASSES)) for length in (2, 4, 4, 1)]
    if not transpose:
        sequences.sort(key=len, reverse=True)
    best = [max(all_scores(cost, s).items(), key=lambda item: item[1]) for s in sequences]
    given = sequences if transpose else steps_of(sequences)
    scores, labels = link.argmax([device.send(x) for x in given], transpose=transpose)
    np.testing.assert_allclose(device.backend.to_host(scores.array), [score for _, score in best])
    labels = [device.backend.to_host(y).tolist() for y in labels]
    right = [list(y) for y, _ in best]
    assert labels == (right if transpose else [step.tolist() for step in steps_of(right)])
