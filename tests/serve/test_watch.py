"""`renga watch`: what is read from the folder of a run while the run writes to it, and what the page gets over HTTP."""

import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
from contextlib import closing

import pytest

from renga.cli import main
from renga_core.errors import RengaError

pytest.importorskip("starlette", reason="needs Starlette: pip install 'renga[serve]'")
pytest.importorskip("uvicorn", reason="needs Uvicorn: pip install 'renga[serve]'")

from renga_serve.watched_run import WatchedRun

ROWS = [{"epoch": i, "iteration": 10 * i, "elapsed_time": 0.5 * i, "main/loss": 1 / i} for i in (1, 2, 3)]
LINES = [json.dumps(row) + "\n" for row in ROWS]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "run.toml").write_text('[run]\nepochs = 3\n\n[model]\nuse = "mlp"\n')
    return folder


def test_each_entry_of_the_log_is_given_once_and_when_its_line_is_whole(folder):
    run = WatchedRun(str(folder))
    first = run.state()
    assert (first["log"]["rows"], first["settings"]) == ([], {"run.epochs": 3, "model.use": "mlp"})
    found, file, start = [], "", 0
    text = "".join(LINES).encode()
    with open(folder / "log.jsonl", "ab") as log:
        for position in range(0, len(text), 7):  # a writer that is caught in the middle of lines
            log.write(text[position : position + 7])
            log.flush()
            state = run.state(file, start)["log"]
            if state["start"] == 0:  # until the first line is whole, nothing is known about the file
                found = []
            found += state["rows"]
            file, start = state["file"], state["end"]
    assert found == ROWS


def test_a_log_that_a_resumed_or_a_new_run_has_replaced_is_read_anew(folder):
    log, run = folder / "log.jsonl", WatchedRun(str(folder))
    log.write_text("".join(LINES[:2]))
    old = run.state()["log"]
    (folder / "new").write_text(LINES[0] + LINES[2])  # resumed: the same first line, and no shorter
    (folder / "new").rename(log)
    assert run.state(old["file"], old["end"])["log"]["rows"] == [ROWS[0], ROWS[2]]
    log.write_text("".join(LINES[1:]))  # overwritten: the same file, with another first line
    assert run.state(old["file"], old["end"])["log"]["rows"] == ROWS[1:]


def test_lines_that_cannot_be_read_are_counted_and_the_others_are_given(folder):
    (folder / "log.jsonl").write_bytes(LINES[0].encode() + b'{"epoch": \n\xff\xfe\n[1]\n' + LINES[1].encode())
    log = WatchedRun(str(folder)).state()["log"]
    assert (log["rows"], log["unreadable"]) == (ROWS[:2], 3)


def test_what_happened_to_ranks_is_said_in_words(folder):
    event = {"iteration": 7, "during": "update", "lost": [1], "left": [], "joined": [], "ranks": 1, "seconds": 0.5}
    (folder / "recovery.jsonl").write_text(json.dumps(event) + '\n{"of": "a later version"}\nhalf a l')
    said = WatchedRun(str(folder)).state()["recoveries"]
    assert said == [
        "rank 1 lost in iteration 7 (update); 1 rank goes on after 0.50 s",
        '{"of": "a later version"}',
        "half a l",
    ]


@pytest.mark.parametrize(("name", "said"), [("nothing", "there is no folder"), (".", "is not a folder of a run")])
def test_a_folder_without_a_run(tmp_path, monkeypatch, capsys, name, said):
    monkeypatch.chdir(tmp_path)
    assert main(["watch", name]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert "Next: give the folder that `renga train` writes" in error


def test_a_run_that_is_deleted_meanwhile(folder):
    run = WatchedRun(str(folder))
    shutil.rmtree(folder)
    with pytest.raises(RengaError, match="there is no folder"):
        run.state()


def test_over_http(folder, capsys):
    """The page, the state, pictures of this folder and no other file; a port that is taken; nothing is written."""
    (folder / "log.jsonl").write_text("".join(LINES))
    (folder / "pictures").mkdir()
    (folder / "pictures" / "one 1.png").write_bytes(b"a picture")
    (folder / "samples.txt").write_text("some text")
    (folder.parent / "secret.png").write_bytes(b"secret")
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    before = {path: path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]}
    command = [sys.executable, "-m", "renga", "watch", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, process.communicate()
        port = int(found[1])

        def ask(path):
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                connection.request("GET", path)
                with connection.getresponse() as answer:
                    return answer.status, answer.headers["content-type"], answer.read()

        try:
            assert ask("/")[2].startswith(b"<!doctype html>")
            state = json.loads(ask("/state")[2])
            assert state["log"]["rows"] == ROWS
            assert [picture["name"] for picture in state["pictures"]] == ["pictures/one 1.png"]
            assert state["texts"] == [{"name": "samples.txt", "text": "some text"}]
            assert ask("/pictures/pictures/one%201.png") == (200, "image/png", b"a picture")
            for name in ("../secret.png", "%2e%2e/secret.png", "link.png", "run.toml", str(folder / "run.toml"), ""):
                assert ask(f"/pictures/{name}")[0] == 404, name
            assert ask("/state?start=x")[0] == 400
            assert main(["watch", str(folder), "--port", str(port)]) == 1
            assert f"cannot listen on 127.0.0.1, port {port}" in capsys.readouterr().err
            assert {path: path.stat().st_mtime_ns for path in before} == before
            shutil.rmtree(folder)
            status, _, body = ask("/state")
            assert (status, "there is no folder" in json.loads(body)["error"]) == (404, True)
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.communicate(timeout=60)
        assert (process.returncode, *rest) == (130, "", "")
