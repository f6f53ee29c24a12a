"""What `renga doctor` finds out about MPI: of the one that is here, and of ones that are not as they should be."""

import time

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi import self_test
from renga_comm_mpi.launching import LaunchError, Mpiexec, find_mpiexec
from renga_core.plugin import State


def found(monkeypatch, script=None, tmp_path=None, version="Open MPI 5.0.11", timeout=20.0):
    """Check with a pretended mpiexec, which gets the options of an unknown one: ``-n 2 PROGRAM …``."""
    if script is not None:
        path = tmp_path / "mpiexec"
        path.write_text(f"#!/bin/sh\nshift 2\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(self_test, "find_mpiexec", lambda: Mpiexec(str(path), "unknown", version))
    return {one.what: (one.state, one.about) for one in self_test.check(timeout)}


def test_the_mpi_that_is_here(monkeypatch):
    rows = found(monkeypatch, timeout=60.0)
    assert all(state is State.READY for state, _ in rows.values()), rows
    assert list(rows) == ["mpi library", "mpi mpiexec", "mpi ranks", "mpi threads", "mpi CUDA-aware"]
    assert rows["mpi library"][1].endswith(f"mpi4py {__import__('mpi4py').__version__}")
    assert rows["mpi mpiexec"][1].startswith(find_mpiexec().path)
    assert rows["mpi ranks"][1].startswith("2 see each other on ")


def test_ranks_that_do_not_see_each_other(monkeypatch, tmp_path):
    rows = found(monkeypatch, '"$@" & "$@"; wait', tmp_path, version="a stranger")
    assert rows["mpi ranks"][0] is State.BROKEN
    assert rows["mpi ranks"][1].startswith("of 2 ranks each believes to be one of 1: mpiexec is not of the MPI that")


def test_an_mpiexec_of_another_version(monkeypatch, tmp_path):
    rows = found(monkeypatch, '"$@" & "$@"; wait', tmp_path, version="HYDRA Version: 3.1.4")
    state, about = rows["mpi mpiexec"]
    assert state is State.BROKEN
    assert "is of HYDRA Version: 3.1.4, mpi4py uses " in about


def test_an_mpiexec_that_hangs_or_fails(monkeypatch, tmp_path):
    started_at = time.monotonic()
    assert found(monkeypatch, "exec sleep 60", tmp_path, timeout=0.5)["mpi"] == (
        State.BROKEN,
        f"{tmp_path}/mpiexec: 2 ranks gave no answer in 0.5 s",
    )
    assert time.monotonic() - started_at < 30
    state, about = found(monkeypatch, "echo no slots >&2; exit 3", tmp_path)["mpi"]
    assert (state, about) == (State.BROKEN, f"{tmp_path}/mpiexec ended with status 3: no slots")


def test_without_an_mpi_library_and_without_mpi4py(monkeypatch, tmp_path):
    (tmp_path / "mpi4py.py").write_text("def __getattr__(name): raise RuntimeError('cannot load MPI library')\n")
    rows = found(monkeypatch, f'PYTHONPATH={tmp_path} "$@"', tmp_path)
    assert rows["mpi"][0] is State.UNAVAILABLE
    assert "cannot load MPI library. Next: pip install 'renga[mpi]'" in rows["mpi"][1]

    def missing():
        raise LaunchError("no mpi4py.\nNext: pip install 'renga[mpi]'")

    monkeypatch.setattr(self_test, "find_mpiexec", missing)
    assert found(monkeypatch) == {"mpi": (State.UNAVAILABLE, "no mpi4py. Next: pip install 'renga[mpi]'")}


def rank(number, **other):
    usual = {"rank": number, "size": 2, "host": "a", "right": True, "skew": 0.0, "python": "p 3"}
    return usual | other


@pytest.mark.parametrize(
    ("other", "what", "words"),
    [
        ({"skew": 5.0, "host": "b"}, "mpi clocks", "5.0 s apart between a, b. Next: have the hosts set their clocks"),
        ({"python": "p 4"}, "mpi python", "hosts run different ones: p 3, p 4"),
        ({"right": False}, "mpi ranks", "collectives gave wrong results on rank 1 (a)"),
    ],
)
def test_hosts_that_differ(other, what, words):
    rows = {one.what: one for one in self_test._together(2, [rank(0), rank(1, **other)])}
    assert rows[what].state is State.BROKEN
    assert rows[what].about.startswith(words)
