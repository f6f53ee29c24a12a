import os

import numpy as np
import pytest

from renga_core.serializers import load_npz
from renga_training.extensions import snapshot, snapshot_object


class Saved:
    def __init__(self, value=0):
        self.value = value

    def serialize(self, serializer):
        self.value = serializer("value", self.value)


def names(folder):
    return sorted(os.listdir(folder))


def test_an_object_under_a_name_with_fields(trainer, tmp_path):
    extension = snapshot_object(Saved(5), "at_{.updater.iteration:04}")
    assert (extension.trigger, extension.priority, extension.default_name) == ((1, "epoch"), -100, "snapshot")
    trainer.go_to(12)
    extension(trainer)
    assert names(tmp_path) == ["at_0012"]
    load_npz(tmp_path / "at_0012", loaded := Saved())
    assert loaded.value == 5


def test_the_newest_are_retained_and_nothing_else_is_touched(trainer, tmp_path):
    (tmp_path / "snapshot_iter_x.txt.bak").touch()
    (tmp_path / "other").touch()
    extension = snapshot(target=Saved(), n_retains=2, filename="s_{.updater.iteration}")
    for iteration in (8, 9, 10, 11):
        trainer.go_to(iteration)
        extension(trainer)
    assert names(tmp_path) == ["other", "s_10", "s_11", "snapshot_iter_x.txt.bak"]


def test_of_equal_age_the_highest_number_is_the_newest(trainer, tmp_path):
    extension = snapshot(target=(target := Saved()), autoload=True)
    for iteration in (9, 10, 11):
        target.value = iteration
        trainer.go_to(iteration)
        extension(trainer)
        os.utime(tmp_path / f"snapshot_iter_{iteration}", (0, 0))
    target.value = 0
    extension.resume(trainer)
    assert target.value == 11
    os.utime(tmp_path / "snapshot_iter_9")
    extension.resume(trainer)
    assert target.value == 9


def test_without_autoload_nothing_is_loaded(trainer):
    snapshot(target=Saved(3))(trainer)
    fresh = Saved()
    snapshot(target=fresh).resume(trainer)
    assert fresh.value == 0


def test_condition(trainer, tmp_path):
    snapshot(target=Saved(), condition=lambda: False)(trainer)
    assert names(tmp_path) == []


def test_a_way_of_ones_own_to_save_is_atomic_too(trainer, tmp_path):
    snapshot_object(Saved(3), "s", lambda path, obj: path.write_text(str(obj.value)))(trainer)
    assert (tmp_path / "s").read_text() == "3"

    def fail(path, obj):
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        snapshot_object(Saved(4), "s", fail)(trainer)
    assert (tmp_path / "s").read_text() == "3"
    assert names(tmp_path) == ["s"]


@pytest.mark.parametrize(
    ("make", "options", "on_error", "on_interrupt"),
    [
        (snapshot, {}, False, True),
        (snapshot, {"snapshot_on_error": True, "snapshot_on_interrupt": False}, True, False),
        (lambda **o: snapshot_object(filename="s", **o), {}, False, False),
    ],
)
def test_on_error_and_on_interrupt(trainer, tmp_path, make, options, on_error, on_interrupt):
    extension = make(target=Saved(), **options)
    extension.on_error(trainer, ValueError(), None)
    assert bool(names(tmp_path)) == on_error
    for name in names(tmp_path):
        (tmp_path / name).unlink()
    extension.on_interrupt(trainer)
    assert bool(names(tmp_path)) == on_interrupt


def test_leftovers_of_killed_runs_are_removed(trainer, tmp_path):
    for name in (".snapshot_iter_7.0123abcd.tmp", ".other.0123abcd.tmp", ".snapshot_iter_7"):
        (tmp_path / name).write_bytes(np.zeros(9).tobytes())
    snapshot(target=Saved()).resume(trainer)
    assert names(tmp_path) == [".other.0123abcd.tmp", ".snapshot_iter_7"]
