"""Small networks and examples for tests of the tasks, updaters and evaluators that Renga ships."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import renga.functions as F
from renga_core.link import Chain
from renga_cv.tasks.detection import Detection
from renga_nn.links import EmbedID, Linear
from renga_testing.suites.global_state import start_random
from renga_training.tasks import Adversarial, Task

__all__ = ["EVALUATORS", "TASKS", "UPDATERS"]

PICTURE = 32  # pixels
CLASSES = 10


class Generated(Chain):
    """A generator and a critic of vectors of 4, for the task `adversarial`."""

    noise = 2

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.generator = Labelled(2, 4)
            self.critic = Labelled(4, 1)


class Labelled(Chain):
    """A layer that ignores labels."""

    def __init__(self, n_in, n_out):
        super().__init__()
        with self.init_scope():
            self.layer = Linear(n_in, n_out)

    def forward(self, x, *labels):
        return self.layer(x)


class Coder(Chain):
    """A variational autoencoder of vectors of 4."""

    latent = 2

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.mean = Linear(4, 2)
            self.ln_var = Linear(4, 2)
            self.out = Linear(2, 4)

    def encode(self, x):
        return self.mean(x), self.ln_var(x)

    def decode(self, z):
        return self.out(z)


class Reader(Chain):
    """Reads symbols one at a time; its state continues from batch to batch."""

    def __init__(self):
        super().__init__()
        self.state = None
        with self.init_scope():
            self.embed = EmbedID(CLASSES, 3)
            self.out = Linear(3, CLASSES)

    def reset_state(self):
        self.state = None

    def forward(self, x):
        steps = []
        for i in range(x.shape[1]):
            h = self.embed(x[:, i])
            self.state = h if self.state is None else F.tanh(h + self.state)
            steps.append(self.state)
        return self.out(F.reshape(F.stack(steps, axis=1), (-1, 3)))


class Translator(Chain):
    """Scores of the next symbol; as a translation, the first symbols themselves."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed = EmbedID(CLASSES, 3)
            self.source = Linear(3, 3)
            self.out = Linear(3, CLASSES)

    def forward(self, xs, ys):
        whole = [self.source(F.sum(self.embed(x), axis=0, keepdims=True)) for x in xs]
        return self.out(F.concat([self.embed(y) + F.tile(h, (len(y), 1)) for h, y in zip(whole, ys, strict=True)], 0))

    def translate(self, xs, length):
        return [x[:length] for x in xs]


class Compared(Task):
    """The method that the evaluator `predictions` needs from a task on pictures."""

    def compare(self, target, x, t):
        return len(x)

    def measure(self, compared):
        return {"examples": float(sum(compared))}


class Seen(Detection):
    """The method that the evaluators `voc` and `coco` need from a detection task; here it finds all objects."""

    figures = ("loss",)
    converter = "concat"

    def compare(self, target, x, t):
        box, label = np.array([[0, 0, 4, 4]], np.float32), np.zeros(1, np.int32)
        return [(box, label, np.ones(1, np.float32), box, label) for _ in x]


def seeded(make):
    """A method that makes a network after the random numbers are seeded."""

    def made(self, seed):
        start_random(seed)
        return make()

    return made


def texts(self, task):
    """Eight pieces of text, and the same pieces moved by one; so all batches have four rows."""
    rng = np.random.default_rng(0)
    pieces = [rng.integers(0, CLASSES, 6).astype(np.int32) for _ in range(8)]
    return [(piece[:-1], piece[1:]) for piece in pieces]


def sentences(self, task):
    """Pairs of sequences of any lengths."""
    rng = np.random.default_rng(0)
    return [tuple(rng.integers(1, CLASSES, rng.integers(2, 5)).astype(np.int32) for _ in range(2)) for _ in range(10)]


def scenes(self, task):
    """Small images with a digit, and the targets of the task."""
    return drawn(task.target_type)


@functools.cache
def drawn(target_type):
    from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes

    train, _ = get_digit_scenes(target_type, number=4, test_number=1, size=PICTURE, digits_a_scene=(1, 1))
    return train[:]


def network(name, cls, **options):
    """A function that makes a small network of `renga_cv`; it imports `renga_cv` when it is called."""

    def make():
        from importlib import import_module

        return getattr(import_module(f"renga_cv.links.model.small.{name}"), cls)(**options)

    return make


def _pictures(name, cls, **options):
    return {"make_model": seeded(network(name, cls, **options)), "make_examples": scenes, "batch_size": 2}


TASKS: dict[str, dict[str, Any]] = {
    "training:adversarial": {"make_model": seeded(Generated)},
    "training:autoencoding": {"make_model": seeded(Coder), "options": {"draws": 2}},
    "training:language_modelling": {"make_model": seeded(Reader), "make_examples": texts},
    "training:sequence_to_sequence": {"make_model": seeded(Translator), "make_examples": sentences},
    "cv:semantic_segmentation": _pictures("segmenter", "SmallSegmenter", n_out=CLASSES + 1, width=4),
    "cv:detection": _pictures("detector", "SmallDetector", n_out=CLASSES, insize=PICTURE, width=4),
    "cv:instance_segmentation": _pictures(
        "instance_segmenter", "SmallInstanceSegmenter", n_out=CLASSES, insize=PICTURE, width=4
    ),
}
UPDATERS: dict[str, dict[str, Any]] = {
    "training:adversarial": {
        "make_link": lambda self, seed: Adversarial().target(seeded(Generated)(self, seed)),
        "optimized": lambda self, link: Adversarial().optimized(link),
        "figures": ("distance", "steepness"),
    },
    "training:parallel": {"options": {"devices": {"main": "numpy", "second": "numpy"}}},
}
EVALUATORS: dict[str, dict[str, Any]] = {
    "cv:predictions": {"make_task": lambda self: Compared()},
    "cv:voc": {"make_task": lambda self: Seen()},
    "cv:coco": {"make_task": lambda self: Seen()},
}
