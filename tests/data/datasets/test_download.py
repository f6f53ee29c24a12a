import os
from pathlib import Path

import pytest

from renga_data.datasets.download import DownloadError, fetch, get_dataset_root
from renga_data.datasets.remote import RemoteFile

CONTENT = bytes(range(256)) * 40


def files_under(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_downloads_once(mirror, cache):
    file = mirror.add("small", "data.bin", CONTENT)
    assert not cache.exists()
    path = fetch(file)
    assert path == cache / "small" / "data.bin"
    assert path.read_bytes() == CONTENT
    assert fetch(file) == path
    assert mirror.requests == ["/small/data.bin"]
    assert files_under(cache) == ["small/data.bin"]


@pytest.mark.parametrize(
    ("served", "problem"),
    [
        (CONTENT[:-1], "it has 10239 bytes, not 10240"),
        (b"", "it has 0 bytes, not 10240"),
        (CONTENT + b"!", "it has more than 10240 bytes"),
        (CONTENT[:-1] + b"!", "its SHA-256 is "),
    ],
)
def test_a_wrong_file_is_not_kept(mirror, cache, served, problem):
    file = mirror.add("small", "data.bin", CONTENT)
    mirror.add("small", "data.bin", served)
    with pytest.raises(DownloadError) as caught:
        fetch(file)
    message = str(caught.value)
    assert f"data set 'small': {mirror.url}/small/data.bin is not the file it should be: {problem}" in message
    assert f"put it at {cache / 'small' / 'data.bin'}" in message
    assert file.sha256 in message
    assert files_under(cache) == []


def test_a_connection_cut_short_leaves_nothing(mirror, cache, monkeypatch):
    file = mirror.add("small", "data.bin", CONTENT)

    def promise_more(handler, keyword, value):
        original(handler, keyword, str(int(value) + 5) if keyword == "Content-Length" else value)

    handler = mirror.server.RequestHandlerClass.func
    original = handler.send_header
    monkeypatch.setattr(handler, "send_header", promise_more)
    with pytest.raises(DownloadError, match=r"data\.bin"):
        fetch(file._replace(size=len(CONTENT) + 5))
    assert files_under(cache) == []


def test_a_damaged_file_in_the_cache_is_refused(mirror, cache):
    file = mirror.add("small", "data.bin", CONTENT)
    path = fetch(file)
    path.write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(DownloadError, match=r"data\.bin is damaged or another file: its SHA-256 .* Delete it"):
        fetch(file)
    path.unlink()
    assert fetch(file).read_bytes() == CONTENT


def test_a_file_put_there_by_hand_needs_no_network(cache, mirror):
    file = mirror.add("small", "data.bin", CONTENT)
    mirror.close()
    (cache / "small").mkdir(parents=True)
    (cache / "small" / "data.bin").write_bytes(CONTENT)
    assert fetch(file).read_bytes() == CONTENT


def test_no_network_says_what_to_do(cache, monkeypatch):
    monkeypatch.delenv("RENGA_DATASET_MIRROR", raising=False)
    file = RemoteFile("small", "data.bin", "http://127.0.0.1:9/folder", 5, "ab" * 32)  # nothing listens there
    with pytest.raises(DownloadError) as caught:
        fetch(file)
    message = str(caught.value)
    assert message.startswith(
        "data set 'small': cannot download http://127.0.0.1:9/folder/data.bin: <urlopen error [Errno 111]"
    )
    assert message.endswith(
        f"Get data.bin another way (5 bytes, SHA-256 {'ab' * 32}) and put it at {cache / 'small' / 'data.bin'}, or set "
        "RENGA_DATASET_MIRROR (setting dataset.mirror) to an address that has small/data.bin."
    )
    assert not cache.exists()


def test_a_file_that_the_mirror_lacks(mirror, cache):
    with pytest.raises(DownloadError, match=r"\(dataset\.mirror from .*RENGA_DATASET_MIRROR.*\): HTTP Error 404"):
        fetch(RemoteFile("small", "data.bin", "http://127.0.0.1:9", 5, "ab" * 32))
    assert not cache.exists()


def test_a_folder_can_be_the_mirror(mirror, cache, monkeypatch):
    file = mirror.add("small", "data.bin", CONTENT)
    monkeypatch.setenv("RENGA_DATASET_MIRROR", mirror.folder.as_uri())
    assert fetch(file).read_bytes() == CONTENT
    assert mirror.requests == []


def test_a_mirror_that_is_no_address(mirror, cache, monkeypatch):
    monkeypatch.setenv("RENGA_DATASET_MIRROR", "somewhere")
    with pytest.raises(DownloadError, match="unknown url type"):
        fetch(mirror.add("small", "data.bin", CONTENT))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_that_cannot_be_written(mirror, cache):
    cache.mkdir(mode=0o500)
    with pytest.raises(DownloadError, match="Permission denied"):
        fetch(mirror.add("small", "data.bin", CONTENT))


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.delenv("RENGA_DATASET_ROOT", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert get_dataset_root() == tmp_path / "renga" / "datasets"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert get_dataset_root() == tmp_path / ".cache" / "renga" / "datasets"
    monkeypatch.setenv("RENGA_DATASET_ROOT", "~/elsewhere")
    assert get_dataset_root() == tmp_path / "elsewhere"
    assert list(Path(tmp_path).iterdir()) == []
