import itertools
from types import SimpleNamespace

import pytest

from renga_serializers.npz import DictionarySerializer, NpzDeserializer


class FakeTrainer:
    """A trainer of which each iteration is made by hand; four are an epoch."""

    def __init__(self, out, total=(3, "epoch")):
        self.out = str(out)
        self.observation = {}
        self.extensions = {}
        self.stop_trigger = SimpleNamespace(get_training_length=lambda: total)
        self.optimizer = SimpleNamespace(lr=1.0)
        self.ticks = itertools.count(1)
        self.go_to(0)

    @property
    def elapsed_time(self):
        return next(self.ticks) / 8

    def get_extension(self, name):
        return self.extensions[name]

    def go_to(self, iteration):
        self.updater = SimpleNamespace(
            iteration=iteration,
            epoch=iteration // 4,
            epoch_detail=iteration / 4,
            previous_epoch_detail=max(iteration - 1, 0) / 4,
            get_optimizer=lambda name: {"main": self.optimizer}[name],
            get_all_optimizers=lambda: {"main": self.optimizer},
        )

    def iterate(self, observation=None):
        self.go_to(self.updater.iteration + 1)
        self.observation = observation or {}


@pytest.fixture
def trainer(tmp_path):
    return FakeTrainer(tmp_path)


@pytest.fixture
def reload():
    """Save one object and load another from it."""

    def copy(saved, loaded):
        target = {}
        DictionarySerializer(target).save(saved)
        NpzDeserializer(target).load(loaded)

    return copy
