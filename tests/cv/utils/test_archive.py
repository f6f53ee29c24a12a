import io
import os
import tarfile
import zipfile

import pytest

from renga_core.serializers import FileDamaged, FileRefused
from renga_cv.utils.archive import extractall

FILES = {"a.txt": b"a" * 5000, "folder/b.txt": b"b", "folder/deep/c.txt": b""}


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def tarred(path, files, mode="w", members=()):
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for member in members:
            archive.addfile(member)


def link(name, target, kind=tarfile.SYMTYPE):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def found(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("ext", [".zip", ".tar", ".gz", ".tgz"])
def test_files_come_out_beside_those_that_are_there(tmp_path, ext):
    path, folder = tmp_path / f"archive{ext}", tmp_path / "out" / "deep"
    zipped(path, FILES) if ext == ".zip" else tarred(path, FILES, "w" if ext == ".tar" else "w:gz")
    extractall(path, folder, ext)
    assert found(folder) == FILES
    (folder / "folder" / "mine.txt").write_bytes(b"mine")
    (folder / "a.txt").write_bytes(b"old")
    extractall(path, folder, ext)
    assert found(folder) == {**FILES, "folder/mine.txt": b"mine"}


@pytest.mark.parametrize("name", ["../out.txt", "folder/../../out.txt", "/tmp/out.txt"])
@pytest.mark.parametrize("ext", [".zip", ".tar"])
def test_nothing_is_written_outside(tmp_path, name, ext):
    path, folder = tmp_path / "archive", tmp_path / "out"
    (zipped if ext == ".zip" else tarred)(path, {"good.txt": b"", name: b"bad"})
    with pytest.raises(FileRefused, match=r"archive: it has a file named .*out\.txt', which leads out"):
        extractall(path, folder, ext)
    assert found(folder) == {}
    assert sorted(os.listdir(tmp_path)) == ["archive", "out"]


@pytest.mark.parametrize(
    "member",
    [
        link("out", "../.."),
        link("out", "/etc/passwd"),
        link("out", "../secret", tarfile.LNKTYPE),
        link("out", "", tarfile.FIFOTYPE),
    ],
    ids=["link up", "absolute link", "hard link", "fifo"],
)
def test_links_outside_and_other_things_are_refused(tmp_path, member):
    (tmp_path / "secret").write_bytes(b"secret")
    tarred(tmp_path / "archive", {"good.txt": b""}, members=[member])
    with pytest.raises(FileRefused, match="archive"):
        extractall(tmp_path / "archive", tmp_path / "out", ".tar")
    assert found(tmp_path / "out") == {}


@pytest.mark.parametrize("has_filter", [True, False], ids=["newer Python", "Python 3.11.2"])
def test_links_over_links_are_refused(tmp_path, monkeypatch, has_filter):
    if not has_filter:
        monkeypatch.delattr(tarfile, "data_filter", raising=False)
    members = [link("a/b/c/d", "../../.."), link("out", "a/b/c/d/../secret")]
    tarred(tmp_path / "archive", {"a/b/c/e": b""}, members=members)
    with pytest.raises(FileRefused, match="'out' leads out of the folder"):
        extractall(tmp_path / "archive", tmp_path / "out", ".tar")
    assert found(tmp_path / "out") == {}


def test_links_inside_are_kept(tmp_path):
    tarred(tmp_path / "archive", {"folder/a": b"a"}, members=[link("folder/b", "a")])
    extractall(tmp_path / "archive", tmp_path / "out", ".tar")
    assert os.readlink(tmp_path / "out" / "folder" / "b") == "a"
    assert (tmp_path / "out" / "folder" / "b").read_bytes() == b"a"


@pytest.mark.parametrize("ext", [".zip", ".tar", ".tgz"])
def test_damaged_archives_are_refused(tmp_path, ext):
    path = tmp_path / "archive"
    zipped(path, FILES) if ext == ".zip" else tarred(path, FILES, "w" if ext == ".tar" else "w:gz")
    whole = path.read_bytes()
    for content in (b"", b"no archive", whole[: len(whole) // 3]):
        path.write_bytes(content)
        with pytest.raises(FileDamaged, match="archive: damaged or not a"):
            extractall(path, tmp_path / "out", ext)
        assert found(tmp_path / "out") == {}


@pytest.mark.parametrize("ext", [".zip", ".tgz"])
def test_archives_that_would_fill_the_disk_are_refused(tmp_path, monkeypatch, ext):
    monkeypatch.setattr("renga_cv.utils.archive._SMALL", 1000)
    path, files = tmp_path / "archive", {"zeros": bytes(1_000_000)}
    zipped(path, files) if ext == ".zip" else tarred(path, files, "w:gz")
    with pytest.raises(FileRefused, match="1,000,000 bytes"):
        extractall(path, tmp_path / "out", ext)
    assert found(tmp_path / "out") == {}


def test_another_kind_of_archive_is_said(tmp_path):
    with pytest.raises(ValueError, match=r"ext is '\.rar'; choose from '\.zip', '\.tar'"):
        extractall(tmp_path / "archive", tmp_path, ".rar")
