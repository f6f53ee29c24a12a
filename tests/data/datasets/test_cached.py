import hashlib
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np
import pytest

from renga_data.datasets.cached import cache_or_load_file, cached_download
from renga_data.datasets.download import DownloadError, fetch, get_dataset_directory, get_dataset_root, set_dataset_root
from renga_data.lock import locked

CONTENT = bytes(range(256)) * 40
DIGEST = hashlib.sha256(CONTENT).hexdigest()

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")


def files_under(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def url(mirror):
    mirror.add("small", "data.bin", CONTENT)
    return f"{mirror.url}/small/data.bin"


def test_is_downloaded_once(url, mirror, cache):
    path = cached_download(url)
    assert isinstance(path, str)
    assert Path(path).read_bytes() == CONTENT
    assert cached_download(url, sha256=DIGEST) == path
    assert mirror.requests == ["/small/data.bin"]
    assert cached_download(f"{url}?again") != path
    assert len(files_under(cache)) == 2


def test_another_file_is_not_kept(url, cache):
    with pytest.raises(
        DownloadError, match=rf"data\.bin is not the file it should be: its SHA-256 is {DIGEST}, not ab"
    ):
        cached_download(url, sha256="ab")
    assert files_under(cache) == []


def test_a_damaged_copy_is_refused_where_the_digest_is_known(url):
    path = Path(cached_download(url))
    path.write_bytes(b"?")
    with pytest.raises(DownloadError, match="Delete it"):
        cached_download(url, sha256=DIGEST)


def test_a_connection_cut_short_leaves_nothing(url, mirror, cache, monkeypatch):
    handler = mirror.server.RequestHandlerClass.func
    original = handler.send_header
    monkeypatch.setattr(
        handler,
        "send_header",
        lambda self, key, value: original(self, key, str(int(value) + 5) if key == "Content-Length" else value),
    )
    with pytest.raises(DownloadError, match=r"data\.bin"):
        cached_download(url)
    assert files_under(cache) == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/nobody", "no address"])
def test_what_cannot_be_had(url, cache):
    with pytest.raises(DownloadError, match=f"cannot download {url}: "):
        cached_download(url)
    assert not cache.exists()


def run_together(target, *arguments, n=4):
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=target, args=arguments) for _ in range(n)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * n


def slowly(path, log):
    def create(temporary):
        with open(log, "a") as file:
            file.write("made\n")
        time.sleep(0.2)
        Path(temporary).write_text("content")
        return "content"

    assert cache_or_load_file(path, create, lambda p: Path(p).read_text()) == "content"


def test_of_several_processes_one_makes_the_file(tmp_path):
    run_together(slowly, tmp_path / "new" / "file.txt", tmp_path / "log")
    assert (tmp_path / "log").read_text() == "made\n"
    assert files_under(tmp_path / "new") == ["file.txt"]
    assert os.listdir(tmp_path / "new") == ["file.txt"]


def test_of_several_processes_one_downloads(mirror, cache, monkeypatch):
    import renga_data.datasets.download as module

    file = mirror.add("small", "data.bin", CONTENT)
    log = cache.parent / "log"
    original = module._copy

    def copy(*arguments):
        with open(log, "a") as opened:
            opened.write("copied\n")
        time.sleep(0.2)
        return original(*arguments)

    monkeypatch.setattr(module, "_copy", copy)
    run_together(fetch, file)
    assert log.read_text() == "copied\n"
    assert files_under(cache) == ["data.bin"]


def count(path, times):
    for _ in range(times):
        with locked(path):
            n = int(path.read_text())
            time.sleep(0.0005)
            path.write_text(str(n + 1))


def test_one_process_at_a_time(tmp_path):
    path = tmp_path / "counter"
    path.write_text("0")
    run_together(count, path, 20)
    assert path.read_text() == "80"
    assert os.listdir(tmp_path) == ["counter"]


def test_a_lock_is_given_back_by_an_error(tmp_path):
    with pytest.raises(KeyError), locked(tmp_path / "file"):
        raise KeyError
    with locked(tmp_path / "file"):
        assert os.listdir(tmp_path) == [".file.lock"]


def test_making_a_file_that_numpy_names(tmp_path):
    path = tmp_path / "table.npz"

    def create(temporary):
        assert not os.path.exists(temporary)
        np.savez(temporary, x=np.arange(3))
        return "made"

    assert cache_or_load_file(path, create, np.load) == "made"
    with cache_or_load_file(path, create, np.load) as loaded:
        assert loaded["x"].tolist() == [0, 1, 2]


def test_a_failing_creator_leaves_nothing(tmp_path):
    def fail(temporary):
        Path(temporary).write_text("half")
        raise KeyError("no")

    with pytest.raises(KeyError):
        cache_or_load_file(tmp_path / "file", fail, str)
    with pytest.raises(FileNotFoundError):
        cache_or_load_file(tmp_path / "file", str, str)
    assert os.listdir(tmp_path) == []


def test_where_things_are(cache, monkeypatch, tmp_path):
    assert get_dataset_directory("group/one") == cache / "group" / "one"
    assert (cache / "group" / "one").is_dir()
    assert not get_dataset_directory("two", create_directory=False).exists()
    for name in ("../out", "/out"):
        with pytest.raises(ValueError, match="leads outside"):
            get_dataset_directory(name)
    set_dataset_root(tmp_path / "other")  # the fixture puts the environment back
    assert get_dataset_root() == tmp_path / "other"
