"""Sequences of different lengths, turned around."""

import numpy as np

import renga
import renga.functions as F
import renga.links as L
from renga.iterators import SerialIterator
from renga.optimizers import Adam
from renga.training import StandardUpdater
from renga_training.converters import lists
from renga_training.tasks import SequenceToSequence, TaskEvaluator


class Translator(renga.Chain):
    """An encoder's last state is a decoder's first."""

    def __init__(self, n, units):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n, units)
            self.encoder = L.NStepLSTM(1, units, units, 0.0)
            self.decoder = L.NStepLSTM(1, units, units, 0.0)
            self.out = L.Linear(units, n)

    def forward(self, xs, ys):
        h, c, _ = self.encoder(None, None, [self.embed(x) for x in xs])
        _, _, hs = self.decoder(h, c, [self.embed(y) for y in ys])
        return self.out(F.concat(hs, axis=0))

    def translate(self, xs, length):
        h, c, _ = self.encoder(None, None, [self.embed(x) for x in xs])
        ys = np.zeros(len(xs), np.int32)
        made = []
        for _ in range(length):
            h, c, hs = self.decoder(h, c, [self.embed(y[None]) for y in ys])
            ys = self.out(F.concat(hs, axis=0)).array.argmax(axis=1).astype(np.int32)
            made.append(ys)
        rows = np.stack(made, axis=1)
        return [row[: int(np.argmax(row == 0))] if 0 in row else row for row in rows]


def test_it_learns_to_turn_sequences_around():
    renga.random.seed(0)
    rng = np.random.default_rng(0)
    xs = [rng.integers(1, 5, rng.integers(1, 4)).astype(np.int32) for _ in range(200)]
    data = [(x, x[::-1].copy()) for x in xs]
    task = SequenceToSequence(max_length=5)
    target = task.target(Translator(5, 32))
    updater = StandardUpdater(SerialIterator(data, 20), Adam(0.02).setup(target), lists())
    for _ in range(120):
        updater.update()
    found = TaskEvaluator(SerialIterator(data, 50, repeat=False, shuffle=False), target, task, lists())()
    assert found["main/accuracy"] > 0.95
    with renga.using_config("train", False), renga.no_backprop_mode():
        rows = task.predict(target, [np.array([1, 2, 3], np.int32), np.array([4], np.int32)])
    assert rows == [{"output": "3 2 1"}, {"output": "4"}]
