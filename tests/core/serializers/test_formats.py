"""The suffix of a file says its format; plugins offer formats beside npz."""

import re

import pytest
from json_format import Json, Saved

from renga_core.kinds import FILE_FORMAT
from renga_core.plugin import (
    AmbiguousProvider,
    InvalidDescription,
    PluginManager,
    Provider,
    ProviderUnavailable,
    hookimpl,
    registry,
    using_manager,
)
from renga_core.serializers import FileDamaged, load, save
from renga_core.serializers.formats import format_of
from renga_core.settings import using
from renga_serializers.npz import NpzFormat, load_npz


class Other(Json):
    pass


def described(**formats):
    """A plugin with these formats: target and suffixes by name."""

    class Plugin:
        @hookimpl
        def renga_file_formats(self):
            return [
                Provider(name, f"{__name__}:{target}", 1, "for a test", suffixes=suffixes, needs=needs)
                for name, (target, suffixes, *needs) in formats.items()
            ]

    return Plugin()


@pytest.fixture
def manager():
    with using_manager(PluginManager()) as made:
        yield made


@pytest.mark.parametrize("name", ["model", "model.npz", "model.NPZ", "model.0", "loss_0.25", "model.unheard-of"])
def test_what_nobody_has_a_format_for_is_npz(tmp_path, name):
    assert isinstance(format_of(tmp_path / name), NpzFormat)
    save(tmp_path / name, Saved(3))
    load_npz(tmp_path / name, loaded := Saved())
    assert loaded.value == 3
    load(tmp_path / name, again := Saved())
    assert again.value == 3


@pytest.mark.parametrize(
    ("name", "library", "target"),
    [("m.h5", "h5py", "HDF5Format"), ("m.hdf5", "h5py", "HDF5Format"), ("m.safetensors", "safetensors", "Safetensors")],
)
def test_formats_that_renga_ships(tmp_path, name, library, target):
    pytest.importorskip(library)
    assert type(format_of(name)).__name__.startswith(target)
    save(tmp_path / name, Saved(3))
    with pytest.raises(FileDamaged):
        load_npz(tmp_path / name, Saved())
    load(tmp_path / name, loaded := Saved())
    assert loaded.value == 3


def test_a_third_party_s_format_is_used_for_its_suffix(manager, tmp_path):
    manager.register("acme", described(json=("Json", (".json", ".js"))))
    save(tmp_path / "model.json", Saved(3))
    assert (tmp_path / "model.json").read_text() == "3"
    load(tmp_path / "model.json", loaded := Saved())
    assert loaded.value == 3
    assert type(format_of("model.JS")) is type(registry(FILE_FORMAT).load("json")())


def test_a_missing_library_is_told(manager):
    manager.register("acme", described(json=("Json", (".json",), "no_such_library")))
    with pytest.raises(ProviderUnavailable, match=r"'json' \(from suffix of model.json\).*no_such_library"):
        format_of("model.json")


def test_what_renga_ships_keeps_its_suffix(manager):
    pytest.importorskip("h5py")
    manager.register("acme", described(json=("Json", (".h5", ".npz"))))
    assert type(format_of("model.h5")).__name__ == "HDF5Format"
    assert isinstance(format_of("model.npz"), NpzFormat)


def test_a_disabled_format_is_not_used(manager):
    manager.register("acme", described(json=("Json", (".h5", ".json"))))
    with using({"plugins.disable": ["serializers:hdf5"]}):
        manager.register("acme", described(json=("Json", (".h5", ".json"))))
        assert type(format_of("model.h5")).__name__ == "Json"


def test_two_formats_of_one_suffix_are_an_error_that_says_what_to_do(manager):
    manager.register("acme", described(json=("Json", (".json",))))
    manager.register("house", described(other=("Other", (".json",))))
    message = "model.json: the suffix .json belongs to 2 formats:\n  - acme:json "
    with pytest.raises(AmbiguousProvider, match=re.escape(message)) as caught:
        format_of("model.json")
    assert "Next: disable" in str(caught.value)


@pytest.mark.parametrize("suffix", ["h5", ".H5", ".tar.gz", "", "."])
def test_suffixes_that_cannot_be(suffix):
    with pytest.raises(InvalidDescription, match="suffixes is"):
        Provider("mine", "mine:Mine", 1, suffixes=(suffix,))
