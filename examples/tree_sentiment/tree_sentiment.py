"""A recursive network: classifies the sentiment of a sentence from the tree of its phrases.

    renga train run.toml

Sentences are generated, as binary trees with words as leaves. "not" negates the following phrase. After "but", only the
following phrase counts. Otherwise the parts of a phrase add up. So order and nesting matter, and counting words is not
enough. The network is a recursive function: its graph has the shape of the tree, which differs for each sentence.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import renga
import renga.functions as F
import renga.links as L
from renga_core.plugin import Provider, hookimpl
from renga_training.tasks import Task


@hookimpl
def renga_models() -> list[Provider]:
    """The network, for the run file."""
    return [Provider("tree_net", "tree_sentiment:TreeNet", 1, "Tree LSTM")]


@hookimpl
def renga_datasets() -> list[Provider]:
    """The data set, for the run file."""
    return [Provider("sentences", "tree_sentiment:get_sentences", 1, "Generated sentences, as trees")]


@hookimpl
def renga_tasks() -> list[Provider]:
    """The task, for the run file."""
    return [Provider("sentiment", "tree_sentiment:Sentiment", 1, "Sentiment of each phrase of a sentence")]


GOOD = ["good", "great", "fine", "lovely", "bright", "warm", "clever", "funny"]
BAD = ["bad", "poor", "dull", "awful", "dark", "cold", "silly", "tired"]
PLAIN = ["film", "story", "actor", "scene", "music", "ending", "voice", "camera"]
WORDS = [*GOOD, *BAD, *PLAIN, "not", "but"]
NUMBER = {word: i for i, word in enumerate(WORDS)}

Tree = Any
"""A word, or a pair of trees."""


def generate(rng: np.random.Generator, depth: int) -> Tree:
    """Generate a phrase, at most `depth` levels deep."""
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        return str(rng.choice([*GOOD, *BAD, *PLAIN]))
    if kind < 0.4:
        return ("not", generate(rng, depth - 1))
    if kind < 0.6 and depth > 1:
        return (generate(rng, depth - 2), ("but", generate(rng, depth - 2)))
    return (generate(rng, depth - 1), generate(rng, depth - 1))


def sentiment(tree: Tree) -> int:
    """Return the sentiment of a phrase by the rules: 1, 0 or -1."""
    if isinstance(tree, str):
        return int(tree in GOOD) - int(tree in BAD)
    left, right = tree
    if left == "not":
        return -sentiment(right)
    if left == "but" or (isinstance(right, tuple) and right[0] == "but"):
        return sentiment(right)
    return int(np.sign(sentiment(left) + sentiment(right)))


def sentences(rng: np.random.Generator, number: int, depth: int) -> list[Tree]:
    """Generate trees, with the same number for each sentiment."""
    found: dict[int, list[Tree]] = {-1: [], 0: [], 1: []}
    while min(map(len, found.values())) < number // 3:
        tree = generate(rng, depth)
        if isinstance(tree, tuple):
            found[sentiment(tree)].append(tree)
    trees = [tree for group in found.values() for tree in group[: number // 3]]
    return [trees[i] for i in rng.permutation(len(trees))]


class TreeNet(renga.Chain):
    """Tree LSTM, and scores of the sentiment of each phrase."""

    def __init__(self, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(len(WORDS), units)
            self.node = L.NaryTreeLSTM(units, units)
            self.out = L.Linear(units, 3)

    def read(self, tree: Tree, phrases: list[tuple[Tree, renga.Variable]]) -> tuple[renga.Variable, renga.Variable]:
        """Return cell and output of a phrase; append it and all phrases in it to `phrases`, with their outputs."""
        if isinstance(tree, str):
            c, h = self.node(None, None, None, None, self.embed(np.array([NUMBER[tree]], dtype=np.int32)))
        else:
            (c1, h1), (c2, h2) = (self.read(part, phrases) for part in tree)
            c, h = self.node(c1, c2, h1, h2, None)
        phrases.append((tree, h))
        return c, h

    def forward(self, trees: list[Tree]) -> tuple[renga.Variable, renga.Variable]:
        """Return the mean loss of all phrases in `trees`, and the scores of the whole trees ``(len(trees), 3)``."""
        phrases: list[tuple[Tree, renga.Variable]] = []
        roots = []
        for tree in trees:
            self.read(tree, phrases)
            roots.append(len(phrases) - 1)
        scores = self.out(F.concat([h for _, h in phrases], axis=0))
        right = np.array([sentiment(phrase) + 1 for phrase, _ in phrases], dtype=np.int32)
        return F.softmax_cross_entropy(scores, right), scores[np.array(roots)]


class Sentiment(Task):
    """The network is trained on all phrases, and evaluated on whole sentences."""

    figures = ("loss", "accuracy")
    headline = "accuracy"
    higher_is_better = True
    converter = "lists"

    def target(self, model: renga.Link) -> renga.Link:
        """The loss of a network."""
        return SentimentLoss(model)


class SentimentLoss(renga.Chain):
    """Compute and report the mean loss of all phrases, and the accuracy."""

    def __init__(self, predictor: renga.Link) -> None:
        super().__init__()
        with self.init_scope():
            self.predictor = predictor

    def forward(self, trees: list[Tree]) -> renga.Variable:
        loss, scores = self.predictor(trees)
        right = np.array([sentiment(tree) + 1 for tree in trees])
        renga.report({"loss": loss, "accuracy": np.mean(scores.array.argmax(axis=1) == right)}, self)
        return loss


def get_sentences(seed: int, examples: int, tests: int, depth: int) -> tuple[list[tuple[Tree]], list[tuple[Tree]]]:
    """Return sentences for training and for testing."""
    rng = np.random.default_rng(seed)
    train = sentences(rng, examples, depth)
    known = set(train)
    # An example is a tuple of the network's arguments: here one tree.
    return [(tree,) for tree in train], [(tree,) for tree in sentences(rng, tests, depth) if tree not in known]
