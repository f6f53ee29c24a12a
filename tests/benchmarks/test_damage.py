"""The command that kills runs while they save, and damages files: a little of each, the same each time."""

import importlib
import random

import pytest

pytest.importorskip("h5py")
pytest.importorskip("safetensors")
from benchmarks.damage import subject
from benchmarks.damage.command import main, markdown
from benchmarks.damage.files import Files, damage_files
from benchmarks.damage.harms import HARMS
from benchmarks.damage.kills import Kills, kill_again_and_again
from renga.serializers import load_npz, save_npz


@pytest.mark.parametrize("name", subject.writers())
def test_a_run_that_is_killed_goes_on_from_what_was_written(tmp_path, name):
    found = kill_again_and_again(tmp_path, subject.writers()[name], 12)
    assert not found.failed, found
    assert found.kills == 12
    assert found.saved > 0


@pytest.mark.parametrize("name", subject.FORMATS)
def test_damaged_files_are_refused_or_harmless(tmp_path, name):
    found = damage_files(tmp_path, name, 25)
    for title, one in found.items():
        assert not one.failed, (title, one)
        assert one.files > 0
    assert found["truncated"].fell_back > 10
    assert len(found) == len(HARMS) + 1


def load_what_is_there(path, obj):
    """As a reader without checks would: what is missing stays as it is, and what cannot be read, too."""
    try:
        load_npz(path, obj, strict=False)
    except ValueError:
        obj.text = "half loaded"


def test_a_format_that_does_not_see_damage_fails(tmp_path, monkeypatch):
    monkeypatch.setitem(subject.FORMATS, "npz", subject.Format(save_npz, load_what_is_there, None))
    found = damage_files(tmp_path, "npz", 100)
    assert found["truncated"].wrong > 0
    assert found["truncated"].failed


def test_a_run_that_loses_what_it_saved_fails(tmp_path, monkeypatch):
    forgetful = subject.State.serialize

    def forget(self, serializer):
        forgetful(self, serializer)
        self.set(0)

    kills = importlib.import_module("benchmarks.damage.kills")
    make = kills.make

    def make_forgetful(*args):
        made = make(*args)
        monkeypatch.setattr(subject.State, "serialize", forget)
        return made

    monkeypatch.setattr(kills, "make", make_forgetful)
    found = kill_again_and_again(tmp_path, subject.writers()["npz"], 4, seed=1)
    assert found.lost > 0
    assert found.failed


@pytest.mark.parametrize("harm", HARMS)
def test_each_harm_does_harm_and_the_same_each_time(harm):
    whole = bytes(range(256)) * 4
    once = list(HARMS[harm](whole, random.Random(3)))
    assert sum(content != whole for content in once) > 0.9 * len(once) > 90
    assert once == list(HARMS[harm](whole, random.Random(3)))


def test_the_command_and_its_page(tmp_path, capsys):
    assert main(["--kills", "4", "--every", "2000", "--results", str(tmp_path)]) == 0
    page = (tmp_path / "damage.md").read_text()
    assert "# damage" in page
    assert "npz: a flipped bit" in capsys.readouterr().out
    found = markdown({"npz": Kills(kills=1234, lost=5)}, {"npz": {"truncated": Files(files=7, reads=8, fell_back=3)}})
    assert "| npz | 1,234 | 0 | 0 | 0 | 5 | 0 | 0 | 0 |" in found
    assert "| npz: truncated | 7 | 8 | 0 | 0 | 0 | 0 | 0 | 3 | 0 |" in found
