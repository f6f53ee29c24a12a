"""Snapshots are of the format that the suffix of their names stands for, a plugin's too."""

import pytest
from json_format import Saved, save_json

from renga_core.plugin import PluginManager, Provider, ProviderUnavailable, hookimpl, using_manager
from renga_training.extensions import snapshot, snapshot_best, snapshot_object


class Formats:
    @hookimpl
    def renga_file_formats(self):
        missing = Provider("gone", "json_format:Json", 1, suffixes=(".gone",), needs=("no_such_library",))
        return [Provider("json", "json_format:Json", 1, "for a test", suffixes=(".json",)), missing]


@pytest.fixture(autouse=True)
def manager():
    with using_manager(PluginManager()) as made:
        made.register("acme", Formats())
        yield made


def resumed(extension, trainer, target):
    target.value = 0
    extension.resume(trainer)
    return target.value


@pytest.mark.parametrize("make", [snapshot, lambda target, **how: snapshot_object(target, **how)])
def test_by_suffix(make, trainer, tmp_path):
    extension = make(target=(target := Saved(5)), filename="at_{.updater.iteration}.json", autoload=True)
    trainer.go_to(4)
    extension(trainer)
    assert (tmp_path / "at_4.json").read_text() == "5"
    assert resumed(extension, trainer, target) == 5


def test_of_those_that_renga_ships(trainer, tmp_path):
    pytest.importorskip("h5py")
    extension = snapshot(target=(target := Saved(5)), filename="{.updater.iteration}.h5", autoload=True)
    extension(trainer)
    assert b"\x89HDF" in (tmp_path / "0.h5").read_bytes()
    assert resumed(extension, trainer, target) == 5


def test_the_best_by_suffix(trainer, tmp_path):
    how = {"filename": "best_{.updater.iteration}.json", "trigger": (1, "iteration")}
    extension = snapshot_best("loss", target=Saved(5), **how)
    trainer.iterate({"loss": 1.0})
    extension(trainer)
    assert (tmp_path / "best_1.json").read_text() == "5"


def test_what_a_format_s_own_function_has_saved_is_loaded_by_that_format(trainer, tmp_path):
    extension = snapshot(save_json, target=(target := Saved(5)), autoload=True)
    extension(trainer)
    assert (tmp_path / "snapshot_iter_0").read_text() == "5"
    assert resumed(extension, trainer, target) == 5


def test_a_missing_library_is_told_before_training(trainer):
    with pytest.raises(ProviderUnavailable, match="no_such_library"):
        snapshot(filename="{.updater.iteration}.gone")
