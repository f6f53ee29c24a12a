"""Which file format a snapshot has."""

import pytest
from json_format import Json

from renga_core.kinds import FILE_FORMAT
from renga_core.plugin import PluginManager, Provider, hookimpl, registry, using_manager
from renga_serializers.npz import NpzFormat, save_npz
from renga_training.snapshots.formats import format_of_template, format_saved_by


class Plugin:
    @hookimpl
    def renga_file_formats(self):
        return [
            Provider("json", f"{Json.__module__}:Json", 1, "for a test", suffixes=(".json",)),
            Provider("gone", f"{__name__}:NotThere", 1, "for a test", suffixes=(".gone",)),
        ]


@pytest.fixture(autouse=True)
def manager():
    with using_manager(PluginManager()) as made:
        made.register("acme", Plugin())
        yield


def test_a_format_is_known_by_the_function_that_saves():
    by = registry(FILE_FORMAT).load("json").save
    assert isinstance(format_saved_by(by), registry(FILE_FORMAT).load("json"))
    assert isinstance(format_saved_by(save_npz), NpzFormat)
    assert isinstance(format_saved_by(lambda filename, obj: None), NpzFormat)


def test_of_names_with_fields_the_suffix_behind_them_counts():
    for name in ("{.updater.iteration}.json", "a_{.updater.epoch}.{.updater.iteration:03}.json"):
        assert type(format_of_template(name)).__name__ == "Json"
    for name in ("snapshot_iter_{.updater.iteration}", "{0.updater.epoch_detail:.3f}", "a.json_{.updater.epoch}"):
        assert isinstance(format_of_template(name), NpzFormat)
