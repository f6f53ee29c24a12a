from types import SimpleNamespace

import pytest

from renga_serializers.npz import DictionarySerializer, NpzDeserializer


class FakeTrainer:
    """A trainer that makes `per_epoch` iterations an epoch, half a second each, and observes what it is told to."""

    def __init__(self, per_epoch=4, observations=None):
        self.per_epoch = per_epoch
        self.observations = observations or {}
        self.go_to(0)

    def go_to(self, iteration):
        self.updater = SimpleNamespace(
            iteration=iteration,
            epoch=iteration // self.per_epoch,
            epoch_detail=iteration / self.per_epoch,
            previous_epoch_detail=max(iteration - 1, 0) / self.per_epoch,
        )
        self.elapsed_time = iteration / 2
        self.observation = self.observations.get(iteration, {})

    def fired(self, trigger, iterations):
        """The iterations in which the trigger fires, asked in each of these."""
        fired = []
        for iteration in iterations:
            self.go_to(iteration)
            if trigger(self):
                fired.append(iteration)
        return fired


@pytest.fixture
def trainer():
    return FakeTrainer


@pytest.fixture
def fired():
    """Ask a trigger in iterations 1 to `last`; also when saved and loaded into a new one anywhere in between."""

    def check(make, last, per_epoch=4, observations=None):
        whole = FakeTrainer(per_epoch, observations).fired(make(), range(1, last + 1))
        for cut in range(last + 1):
            first, second = make(), make()
            before = FakeTrainer(per_epoch, observations).fired(first, range(1, cut + 1))
            target = {}
            DictionarySerializer(target).save(first)
            NpzDeserializer(target).load(second)
            after = FakeTrainer(per_epoch, observations).fired(second, range(cut + 1, last + 1))
            assert before + after == whole, f"resumed after {cut}"
        return whole

    return check
