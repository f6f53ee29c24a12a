"""What the launcher knows of a job whose ranks may die."""

import os
import signal
import sys

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.launching import LaunchError, Mpiexec
from renga_comm_mpi.resilient import start
from renga_comm_mpi.resilient.launching import Errors, check, status_of, why_nothing_done, with_dormant
from renga_comm_mpi.resilient.told import Told, ends, may_connect, note_end, note_start, told


@pytest.mark.parametrize("version", ["mpiexec (Open MPI) 5.0.11", "mpirun (Open MPI) 6.1.0rc1"])
def test_open_mpi_5_can(version):
    check(Mpiexec("mpiexec", "Open MPI", version))


@pytest.mark.parametrize(
    ("flavour", "version"), [("Open MPI", "mpiexec (Open MPI) 4.1.6"), ("Hydra", "Version: 4.2.1"), ("unknown", "")]
)
def test_others_cannot(flavour, version):
    with pytest.raises(LaunchError, match=r"--fault-tolerant needs Open MPI 5 or later.*\n.*renga\[mpi\]"):
        check(Mpiexec("mpiexec", flavour, version))


@pytest.mark.parametrize(
    ("noted", "of_mpiexec", "status"),
    [
        ([0, 1], 137, 0),
        ([3, 3], 0, 3),
        ([], 0, 1),
        ([], 137, 137),
        ([None], 0, 1),
        ([None, 0], 137, 0),
        ([0, 0], 3, 3),  # raise SystemExit(3)
    ],
)
def test_the_status_of_a_job(tmp_path, monkeypatch, noted, of_mpiexec, status):
    for name, value in Told(2, 1, str(tmp_path)).environment().items():
        monkeypatch.setenv(name, value)
    assert told() == Told(2, 1, str(tmp_path))
    note_start()
    for number, one in enumerate(noted):
        monkeypatch.setattr(os, "getpid", lambda number=number: 100 + number)
        note_end(one)
    assert ends(str(tmp_path)) == {100 + number: one for number, one in enumerate(noted)}
    assert status_of(str(tmp_path), of_mpiexec) == status


def test_with_other_machines_that_of_mpiexec_does_not_count(tmp_path):
    (tmp_path / "100").write_text("0")
    assert status_of(str(tmp_path), 1, here=False) == 0


def test_of_one_that_was_stopped_it_tells_so(tmp_path):
    assert status_of(str(tmp_path), 0, signal.SIGINT) == 130
    (tmp_path / "100").write_text("5")
    assert status_of(str(tmp_path), 0, signal.SIGINT) == 5


@pytest.mark.parametrize("status", [0, 7])
def test_of_other_programs_it_is_that_of_mpiexec(tmp_path, status):
    assert status_of(str(tmp_path), status) == status


PYTHON = sys.executable


@pytest.mark.parametrize(
    ("command", "position"),
    [
        ([PYTHON, "file.py", "-m"], 1),
        ([PYTHON, "-m", "renga", "train"], 1),
        ([PYTHON, "-B", "-X", "dev", "-u", "file.py"], 5),
        ([PYTHON, "-W", "error", "-m", "module"], 3),
    ],
)
def test_dormant_processes_keep_the_options_of_python(command, position):
    first, *_ = started = with_dormant(command, 3)
    assert first == PYTHON
    assert started[started.index("3") :] == ["3", str(position), *command]


@pytest.mark.parametrize("command", [["program", "file.py"], [PYTHON], [PYTHON, "-c", "pass"], [PYTHON, "-B"]])
def test_other_programs_cannot_start_later(command):
    with pytest.raises(LaunchError, match=r"must be a Python program(.|\n)*Next: use --spares"):
        with_dormant(command, 3)


@pytest.mark.parametrize(("rank", "more"), [("2", []), ("3", ["-m", "renga_comm_mpi.resilient.dormant"])])
def test_what_a_process_becomes(monkeypatch, rank, more):
    became = []
    monkeypatch.setattr(os, "execvp", lambda file, arguments: became.append((file, arguments)))
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", rank)
    start.main(3, 2, ["python", "-B", "file.py", "x"])
    assert became == [("python", ["python", "-B", *more, "file.py", "x"])]


@pytest.mark.parametrize(("names", "may"), [((), False), (("connecting-7",), True), (("has-mpi",), True)])
def test_dormant_processes_start_mpi_when_others_do(tmp_path, names, may):
    for name in names:
        (tmp_path / name).touch()
    assert may_connect(str(tmp_path)) is may


def test_elsewhere_dormant_processes_start_mpi_at_once(tmp_path):
    assert may_connect(str(tmp_path / "not-there"))


def test_lines_about_interrupted_collectives_are_left_out(capfd):
    errors = Errors()
    noise = b"NBC_Progress: an error 77 was found during schedule 0x55c1 at row-offset 0 - aborting the schedule\n\n"
    more = b"Error in NBC_Start_round() (-1)\n"
    os.write(errors.write, b"before\n" + noise + more + b"between, NBC_\n" + noise + noise + b"after")
    errors.close()
    assert capfd.readouterr().err == "before\nbetween, NBC_\nafter"


@pytest.mark.parametrize(
    ("noted", "missing", "why"),
    [
        ({}, (), None),  # a program that knows nothing of it
        ({"used": ""}, (), "all ranks died before the first step"),
        ({"used": "", "7": ""}, (), "all ranks died before the first step"),  # 7: a spare that has ended
        ({"used": "", "7": "1"}, (), None),
        ({"used": "", "committed": ""}, (), None),
        ({"used": "", "7": "1"}, (0,), "rank 0 died before MPI had connected all"),
        ({}, (1, 3), "ranks 1, 3 died before MPI had connected all"),
    ],
)
def test_why_a_job_is_started_again(tmp_path, noted, missing, why):
    for name, text in noted.items():
        (tmp_path / name).write_text(text)
    assert why_nothing_done(str(tmp_path), missing) == why
