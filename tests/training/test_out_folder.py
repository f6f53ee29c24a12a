"""One run at a time in a folder."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from renga_training.out_folder import FolderInUse, hold_folder

HOLD = """
import sys
from renga_training.out_folder import hold_folder
with hold_folder(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path):
    """Another run, in `tmp_path / "out"`."""
    command = [sys.executable, "-c", HOLD, tmp_path / "out"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        if process.poll() is None:
            process.communicate("")


def test_the_other_run_is_named_and_nothing_is_left_when_both_are_over(tmp_path, other):
    with pytest.raises(FolderInUse) as caught, hold_folder(tmp_path / "out", "do something else"):
        raise AssertionError("both hold it")
    said = str(caught.value)
    for part in (
        str(tmp_path / "out"),
        f"process {other.pid} on {os.uname().nodename}",
        "since 20",
        "(-c ",
        "or do some",
    ):
        assert part in said
    other.communicate("")
    with hold_folder(tmp_path / "out"):
        assert os.listdir(tmp_path / "out") == [".run.lock"]
    assert os.listdir(tmp_path / "out") == []


def test_a_folder_that_was_made_for_nothing_is_removed(tmp_path):
    with pytest.raises(ZeroDivisionError), hold_folder(tmp_path / "out"):
        raise ZeroDivisionError
    assert not (tmp_path / "out").exists()


def test_a_killed_run_lets_go(tmp_path, other):
    other.send_signal(signal.SIGKILL)
    other.wait()
    (tmp_path / "out" / "file").touch()
    with hold_folder(tmp_path / "out"):
        pass
    assert os.listdir(tmp_path / "out") == ["file"]


def test_a_run_that_has_not_said_who_it_is(tmp_path, other):
    (tmp_path / "out" / ".run.lock").write_bytes(b"")
    with pytest.raises(FolderInUse, match="an unknown run"), hold_folder(tmp_path / "out"):
        raise AssertionError("both hold it")


def test_ranks_that_are_threads_are_one_run(tmp_path):
    entered = []

    def hold():
        with hold_folder(tmp_path):
            entered.append(True)

    with hold_folder(tmp_path):
        thread = threading.Thread(target=hold)
        thread.start()
        thread.join()
        assert (tmp_path / ".run.lock").exists()
    assert entered == [True]
    assert os.listdir(tmp_path) == []


def test_where_the_file_system_has_no_locks_nobody_is_kept_out(tmp_path, monkeypatch):
    def refuse(descriptor, operation):
        raise OSError("No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with hold_folder(tmp_path):
        pass


def test_a_trainer_is_refused_before_it_does_anything(program, tmp_path, other):
    trainer = program.make_trainer(tmp_path / "out", (2, "iteration"))
    with pytest.raises(FolderInUse, match=f"process {other.pid}.*\nNext: .*Trainer\\(out="):
        trainer.run()
    assert trainer.updater.iteration == 0
    other.communicate("")
    trainer.run()
    assert trainer.updater.iteration == 2


@pytest.mark.parametrize("variables", [("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("PMI_SIZE", "PMI_RANK")])
def test_other_ranks_are_of_the_same_run(program, tmp_path, other, monkeypatch, variables):
    for name, value in zip(variables, ("2", "1"), strict=True):
        monkeypatch.setenv(name, value)
    trainer = program.make_trainer(tmp_path / "out", (2, "iteration"))
    trainer.run()
    assert trainer.updater.iteration == 2
