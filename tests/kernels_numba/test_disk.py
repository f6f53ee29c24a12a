"""Machine code on disk: made once, found again, never half there."""

import pytest

from renga_backend_numpy import cache_files
from renga_kernels_numba import disk


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(disk.VARIABLE, str(tmp_path / "new" / "folder"))
    return tmp_path / "new" / "folder"


def never():
    raise AssertionError("it is on disk")


def test_kept_by_its_key(folder):
    assert disk.kept("one.o", lambda: b"code of one") == b"code of one"
    assert disk.kept("two.o", lambda: b"code of two") == b"code of two"
    assert disk.kept("one.o", never) == b"code of one"
    assert sorted(path.name for path in folder.iterdir()) == ["lock", "one.o", "two.o"]
    assert folder.stat().st_mode & 0o077 == 0  # others must not put machine code there


@pytest.mark.parametrize("damage", [lambda x: x[:-1], lambda x: x[:20], lambda x: b"", lambda x: x[:-1] + b"?"])
def test_a_damaged_file_is_made_again(folder, damage):
    disk.kept("one.o", lambda: b"code")
    path = folder / "one.o"
    path.write_bytes(damage(path.read_bytes()))
    assert disk.kept("one.o", lambda: b"new code") == b"new code"
    assert disk.kept("one.o", never) == b"new code"


def test_where_nothing_can_be_written(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").touch()
    monkeypatch.setenv(disk.VARIABLE, str(tmp_path / "file" / "folder"))
    for _ in range(2):
        assert disk.kept("one.o", lambda: b"code") == b"code"
    (told,) = caplog.messages
    assert "file/folder" in told
    assert disk.VARIABLE in told


def test_a_full_disk(folder, monkeypatch):
    def replace(source, target):
        raise OSError("No space left on device")

    monkeypatch.setattr(cache_files.os, "replace", replace)
    assert disk.kept("one.o", lambda: b"code") == b"code"
    assert [path.name for path in folder.iterdir()] == ["lock"]


def test_in_the_users_cache_folder(monkeypatch):
    monkeypatch.delenv(disk.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(disk.folder()) == "/somewhere/renga/numba"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert disk.folder().parts[-3:] == (".cache", "renga", "numba")
