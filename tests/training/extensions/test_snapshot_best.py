import os

import numpy as np
import pytest

from renga_serializers.npz import load_npz
from renga_training.extensions import snapshot, snapshot_best


class Saved:
    value = 0

    def serialize(self, serializer):
        self.value = serializer("value", self.value)


def run(extension, trainer, saved, values, first=1):
    for value in values:
        saved.value = trainer.updater.iteration + 1
        trainer.iterate({"loss": value, "accuracy": value})
        extension(trainer)


def kept(folder):
    """The numbers of the iterations that are kept, as files say within and in their names."""
    found = set()
    for name in os.listdir(folder):
        load_npz(folder / name, loaded := Saved())
        assert name == f"best_iter_{loaded.value}.npz"
        found.add(int(loaded.value))
    return found


VALUES = np.random.default_rng(0).integers(0, 9, 30).tolist()


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize(("key", "mode", "sign"), [("loss", "auto", 1), ("accuracy", "auto", -1), ("loss", "max", -1)])
def test_the_best_so_far_at_any_time(trainer, tmp_path, count, key, mode, sign):
    saved = Saved()
    extension = snapshot_best(key, count, mode=mode, target=saved, trigger=(1, "iteration"))
    for n, value in enumerate(VALUES, start=1):
        run(extension, trainer, saved, [value])
        ranked = sorted(range(1, n + 1), key=lambda i: (sign * VALUES[i - 1], i))
        assert kept(tmp_path) == set(ranked[:count])
        assert [name for _, name in extension.best] == [f"best_iter_{i}.npz" for i in ranked[:count]]


@pytest.mark.parametrize("cut", range(1, 12, 3))
def test_resumed(trainer, reload, tmp_path, cut):
    """What was kept or removed after the snapshot is made good."""
    saved = Saved()
    first, second = (snapshot_best("loss", 2, target=saved, trigger=(1, "iteration")) for _ in range(2))
    run(first, trainer, saved, VALUES[:cut])
    reload(first, second)
    run(first, trainer, saved, VALUES[cut : cut + 3])
    trainer.go_to(cut)
    run(second, trainer, saved, VALUES[cut:])
    best = sorted(range(1, 31), key=lambda i: (VALUES[i - 1], i))[:2]
    assert kept(tmp_path) == set(best)


def test_the_model_by_default_under_one_name(trainer, tmp_path):
    trainer.optimizer.target = Saved()
    extension = snapshot_best("loss", filename="best")
    run(extension, trainer, trainer.optimizer.target, [4, 4, 4, 4, 9, 9, 9, 9, 1, 1, 1, 1])
    assert os.listdir(tmp_path) == ["best"]
    load_npz(tmp_path / "best", loaded := Saved())
    assert loaded.value == 12
    assert extension.best == [(1.0, "best")]


def test_a_snapshot_of_the_same_iteration_knows_it():
    assert snapshot_best("loss").priority > snapshot().priority


def test_nan_is_never_the_best(trainer, tmp_path):
    extension = snapshot_best("loss", target=Saved(), trigger=(1, "iteration"))
    run(extension, trainer, Saved(), [float("nan")])
    assert os.listdir(tmp_path) == []


def test_mistakes(trainer):
    with pytest.raises(ValueError, match="mode must be 'auto', 'min' or 'max', not 'best'"):
        snapshot_best("loss", mode="best")
    with pytest.raises(ValueError, match="at least one file, not 0"):
        snapshot_best("loss", 0)
    with pytest.raises(ValueError, match="3 files cannot all be named 'best'"):
        snapshot_best("loss", 3, filename="best")
    extension = snapshot_best("los", target=Saved(), trigger=(1, "iteration"))
    trainer.iterate({"loss": 1.0})
    with pytest.raises(KeyError, match=r"'los' was not reported in this iteration\. Reported: loss"):
        extension(trainer)
