"""A mirror on this machine, and a cache of the test's own."""

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from renga_data.datasets.remote import RemoteFile


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class Mirror:
    """A folder served over HTTP.

    Attributes:
        url: Its address.
        requests: Paths asked for so far.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[str] = []

        class Handler(Quiet):
            def do_GET(handler):  # `self` is the mirror
                self.requests.append(handler.path)
                super().do_GET()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def add(self, dataset: str, name: str, content: bytes) -> RemoteFile:
        """Serve a file; return what is to be known of it."""
        path = self.folder / dataset / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return RemoteFile(dataset, name, "http://127.0.0.1:9/nobody", len(content), hashlib.sha256(content).hexdigest())

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RENGA_DATASET_ROOT", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def mirror(tmp_path, monkeypatch, cache):
    folder = tmp_path / "mirror"
    folder.mkdir()
    served = Mirror(folder)
    monkeypatch.setenv("RENGA_DATASET_MIRROR", served.url)
    yield served
    served.close()
