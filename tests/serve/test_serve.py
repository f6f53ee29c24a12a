"""`renga serve` as its clients see it: a server of its own process, over HTTP."""

import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import renga
from renga.cli import main

pytest.importorskip("starlette", reason="needs Starlette: pip install 'renga[serve]'")
pytest.importorskip("uvicorn", reason="needs Uvicorn: pip install 'renga[serve]'")
Image = pytest.importorskip("PIL.Image", reason="needs Pillow: pip install 'renga[serve]'")

RUN = """
[run]
epochs = 1
out = "{out}"
standard_extensions = []

[task]
use = "classification"

[model]
use = "{model}"

[data]
{data}

[optimizer]
use = "adam"
"""
TABLE = 'use = "csv"\npath = "table.csv"\ntarget = "size"\nbatch_size = 8'


class Server:
    """A service in a process of its own."""

    def __init__(self, folder, *words):
        self.errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (a pipe that nobody reads could fill)
        self.temporary = folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "renga", "serve", *words, "--port", "0"],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(self.temporary)},
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        while (line := self.process.stdout.readline()) and "serving at" not in line:
            pass
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, self.stop()
        self.port = int(found[1])

    def ask(self, method, path, body=None, kind=None):
        """Return the status and the body of an answer: from JSON, if it is that."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request(method, path, body, {} if kind is None else {"Content-Type": kind})
            with connection.getresponse() as answer:
                data = answer.read()
        of_json = answer.headers["content-type"].startswith("application/json")
        return answer.status, json.loads(data) if of_json else data

    def predict(self, body, kind="application/octet-stream", query=""):
        """Ask for predictions."""
        return self.ask("POST", f"/predict{query}", body, kind)

    def stop(self):
        """Interrupt it; return its status and what it has written to standard error."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=60)
        self.errors.seek(0)
        with self.errors:
            return self.process.returncode, self.errors.read()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two runs, and an image."""
    folder = tmp_path_factory.mktemp("serve")
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f},{y:.3f},{'big' if x + y > 0 else 'small'}" for x, y in rng.normal(size=(40, 2))]
    (folder / "table.csv").write_text("\n".join(["x,y,size", *rows, ""]))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for out, model, data in (("digits", "lenet", 'use = "digits"'), ("table", "mlp", TABLE)):
            (folder / f"{out}.toml").write_text(RUN.format(out=out, model=model, data=data))
            assert main(["train", f"{out}.toml"]) == 0
    pixels = np.full((24, 20), 255, np.uint8)
    pixels[4:20, 9:12] = 0
    Image.fromarray(pixels).save(folder / "one.png")
    return folder


@pytest.fixture(scope="module")
def digits(folder):
    server = Server(folder, "digits", "--max-bytes", "100000", "--seconds", "3", "--max-waiting", "60")
    yield server
    assert server.stop() == (130, "")


@pytest.fixture(scope="module")
def table(folder):
    server = Server(folder, "table", "--max-examples", "50")
    yield server
    assert server.stop() == (130, "")


@pytest.fixture
def one(folder):
    return (folder / "one.png").read_bytes()


@pytest.fixture
def expected(folder):
    (row,) = renga.load(folder / "digits")(folder / "one.png")
    # The server freezes the network after some requests, which changes the rounding.
    return row | {"input": "body", "probability": pytest.approx(row["probability"], abs=1e-5)}


def form(*files):
    """A body of files, as browsers send it, and its type."""
    parts = [
        f'--line\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + data + b"\r\n"
        for name, data in files
    ]
    return b"".join(parts) + b"--line--\r\n", "multipart/form-data; boundary=line"


def test_an_image_as_the_body_and_as_files_of_a_form(digits, one, expected):
    assert digits.predict(one) == (200, {"predictions": [expected]})
    status, answer = digits.predict(*form(("a.png", one), ("b.png", one)))
    assert (status, answer["predictions"]) == (200, [expected | {"input": "a.png"}, expected | {"input": "b.png"}])


def test_rows_as_json_and_as_csv(table, folder):
    row, other = {"x": 1.5, "y": "-2"}, {"x": 0, "y": 0}
    expected = renga.load(folder / "table")([row, other])
    kind = "application/json"
    assert table.predict(json.dumps(row), kind) == (200, {"predictions": expected[:1]})
    assert table.predict(json.dumps([row, other]), kind) == (200, {"predictions": expected})
    status, answer = table.predict(b"y,x\n-2,1.5\n0,0\n", "text/csv")
    named = [each | {"input": name} for each, name in zip(expected, ("body", "body:2"), strict=True)]
    assert (status, answer["predictions"]) == (200, named)


def test_the_page_and_what_it_asks_for(digits, table):
    status, page = digits.ask("GET", "/")
    assert status == 200
    assert page.startswith(b"<!doctype html>")
    status, told = digits.ask("GET", "/description")
    assert (told["model"], told["task"], told["classes"]) == ("lenet", "classification", [str(i) for i in range(10)])
    assert (told["input"]["kind"], told["input"]["channels"]) == ("image", 1)
    assert [column["name"] for column in table.ask("GET", "/description")[1]["input"]["columns"]] == ["x", "y"]
    assert digits.ask("GET", "/health")[1]["status"] == "ok"


def test_many_at_once(digits, one, expected):
    answers = []

    def ask():
        answers.append(digits.predict(one))

    threads = [threading.Thread(target=ask) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(200, {"predictions": [expected]})] * 40


@pytest.mark.parametrize(
    ("body", "kind", "status", "said"),
    [
        (b"no image", "image/png", 400, "body: damaged or not an image"),
        (b"", "image/png", 400, "the request contains no file"),
        (b"x" * 100_001, "image/png", 413, "the body is larger than 100,000 bytes"),
        (b"{", "application/json", 400, "the body is not JSON"),
        (b"[" * 90_000, "application/json", 400, "the body is not JSON"),
        (b"[]", "application/json", 400, "the request contains no example"),
        (b'"/etc/passwd"', "application/json", 400, "(height, width, 3), not str"),
        (b"x", "multipart/form-data", 400, "the form cannot be read"),
        (*form(), 400, "the request contains no file"),
        (*form(("a.png", b"no image")), 400, "a.png: damaged or not an image"),
    ],
)
def test_what_is_wrong_is_said(digits, one, expected, body, kind, status, said):
    found, answer = digits.predict(body, kind)
    assert (found, said in answer["error"]) == (status, True), answer
    assert "/tmp" not in answer["error"]
    assert digits.predict(one) == (200, {"predictions": [expected]})


def test_a_picture_of_many_pixels_in_few_bytes_is_refused_before_it_is_unpacked(digits):
    file = io.BytesIO()
    Image.new("1", (30_000, 20_000)).save(file, "PNG")
    assert len(file.getvalue()) < 100_000
    status, answer = digits.predict(file.getvalue())
    assert status == 400
    assert "damaged or not an image" in answer["error"] or "pixels" in answer["error"]


def test_what_is_wrong_with_rows_is_said(table):
    kind = "application/json"
    assert table.predict(b'{"x": 1}', kind)[1]["error"].startswith("the row has no column 'y'")
    assert "'much' is not a number" in table.predict(b'{"x": "much", "y": 1}', kind)[1]["error"]
    assert table.predict(b"3", kind)[1]["error"] == "a row must be a dictionary of values by column, not int"
    assert table.predict(b"x,y\n" + b"1,2\n" * 51, "text/csv")[0] == 413
    assert table.predict(json.dumps([{"x": 1, "y": 2}] * 51), kind)[0] == 413
    assert table.ask("POST", "/generate", b"{}")[0] == 400
    assert table.ask("GET", "/predict")[0] == 405
    assert table.ask("GET", "/nothing")[0] == 404


def test_slow_clients_are_left_and_others_are_served_meanwhile(digits, one, expected):
    slow = []
    for _ in range(20):
        slow.append(socket.create_connection(("127.0.0.1", digits.port), timeout=60))
        slow[-1].sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc")
    assert digits.predict(one) == (200, {"predictions": [expected]})
    answers = Counter()
    for each in slow:
        with each, each.makefile("rb") as file:
            answers[file.readline().split()[1]] += 1
    assert answers == {b"408": 20}


def test_more_than_can_wait_are_told_to_come_again(digits, one, expected):
    waiting = []
    for _ in range(60):
        waiting.append(socket.create_connection(("127.0.0.1", digits.port), timeout=60))
        waiting[-1].sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na")
    deadline = time.monotonic() + 2
    while (status := digits.predict(one)[0]) == 200 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert status == 503
    for each in waiting:
        each.close()
    while digits.ask("GET", "/health")[1]["waiting"]:
        time.sleep(0.05)
    assert digits.predict(one) == (200, {"predictions": [expected]})


def test_memory_stays(digits, one):
    def resident():
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{digits.process.pid}/status").read_text())[1])

    for _ in range(100):
        digits.predict(one)
    before = resident()
    for _ in range(300):
        digits.predict(one)
    assert resident() < before + 8_000, "kB"


def test_nothing_is_left_in_the_folder_of_temporary_files(digits, one):
    assert digits.predict(one)[0] == 200
    assert not list(digits.temporary.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "nothing is not a folder of a run"),
        (["digits", "--port", "70000"], "--port must be from 0 to 65535"),
        (["digits", "--batch", "0"], "--batch must be more than 0"),
        (["digits", "--max-bytes", "0"], "--max-bytes must be more than 0"),
        (["digits", "--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
    ],
)
def test_what_cannot_be_served_is_said(folder, monkeypatch, capsys, words, said):
    monkeypatch.chdir(folder)
    assert main(["serve", *words]) != 0
    assert said in capsys.readouterr().err


def test_a_port_that_is_taken(folder, monkeypatch, capsys, digits):
    monkeypatch.chdir(folder)
    assert main(["serve", "digits", "--port", str(digits.port)]) == 1
    assert f"cannot listen on 127.0.0.1, port {digits.port}" in capsys.readouterr().err
