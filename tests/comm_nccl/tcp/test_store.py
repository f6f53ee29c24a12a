"""The store, and what ranks are told when another one does not come."""

import os
import socket
import subprocess
import sys
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client

import pytest

from renga_comm_nccl.tcp.address import KEY, RANK, SERVED, SIZE, STORE, place_of_this_process
from renga_comm_nccl.tcp.communicator import TcpCommunicator
from renga_comm_nccl.tcp.store import Store
from renga_core.communicator import RankFailed
from renga_core.errors import RengaError

PROGRAM = """
import os, sys, time
from renga_comm_nccl.tcp.communicator import TcpCommunicator
comm = TcpCommunicator()
task = sys.argv[1]
if comm.rank == comm.size - 1 and task != "well":
    if task == "die":
        os._exit(3)
    if task.startswith("late"):
        time.sleep(30)
    if task == "raise":
        raise KeyError("of the last rank")
    if task == "leave":
        sys.exit(0)
if task.endswith("receive"):
    comm.recv_obj(comm.size - 1)
comm.barrier()
assert comm.allreduce_obj([comm.rank]) == list(range(comm.size))
if comm.rank == 1:
    time.sleep(0.5)  # when rank 0, which runs the store, has come to its end
    comm.send_obj("late", comm.size - 1)
if comm.rank == comm.size - 1:
    assert comm.recv_obj(1) == "late"
print("well")
"""


def run(task, size=3, timeout="0"):
    """Ranks without a launcher, as on several machines; their status, and what they wrote."""
    with Store(("127.0.0.1", 0), b"x") as probe:  # a free port
        port = probe.address[1]
    processes = []
    for rank in range(size):
        place = {
            "RENGA_RANK": str(rank),
            "RENGA_SIZE": str(size),
            "RENGA_STORE": f"127.0.0.1:{port}",
            "RENGA_STORE_KEY": "a secret",
            "RENGA_DISTRIBUTED_TIMEOUT": timeout,
        }
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", PROGRAM, task],
                env=os.environ | place,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
    try:
        written = [process.communicate(timeout=60)[0] for process in processes[:-1]]
    finally:
        processes[-1].kill()
        written.append(processes[-1].communicate()[0])
    return [process.returncode for process in processes], written


def test_ranks_without_a_launcher():
    with_last = run("well")
    assert with_last[0][:-1] == [0, 0], with_last
    assert with_last[1][0] == "well\n"


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("die", "has died, or ended without leaving the group"),
        ("raise", "has ended its part in the group"),
        ("leave", "has ended its part in the group"),
        ("late", "has not come in 1 s"),
        ("late receive", "has not come in 1 s"),
    ],
)
def test_a_rank_that_does_not_come_is_named(task, words):
    statuses, written = run(task, timeout="1" if task.startswith("late") else "0")
    for rank in (0, 1):
        assert statuses[rank] == 1
        assert "RankFailed" in written[rank]
        assert "rank 2 (" in written[rank]
        assert words in written[rank], written[rank]


def test_who_does_not_know_the_key_is_refused(tmp_path):
    with Store(str(tmp_path / "store"), b"right") as store:
        with pytest.raises(AuthenticationError):
            Client(store.address, authkey=b"wrong")
        Client(store.address, authkey=b"right").close()


def test_a_silent_client_stops_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr("renga_comm_nccl.tcp.handshake._HANDSHAKE", 1)
    with Store(str(tmp_path / "store"), b"right") as store, socket.socket(socket.AF_UNIX) as silent:
        silent.connect(store.address)
        Client(store.address, authkey=b"right").close()


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"RENGA_RANK": "1"}, "RENGA_SIZE, RENGA_STORE, RENGA_STORE_KEY are not"),
        ({"RENGA_RANK": "one"}, "RENGA_RANK is 'one'"),
        ({"RENGA_RANK": "2"}, "ranks go from 0 to RENGA_SIZE - 1"),
        ({"RENGA_RANK": "1", "RENGA_STORE": "node7"}, "expected HOST:PORT"),
        ({"RENGA_RANK": "1", "RENGA_STORE": "node7:80000"}, "expected HOST:PORT"),
    ],
)
def test_variables_that_make_no_sense(monkeypatch, variables, words):
    others = {"RENGA_SIZE": "2", "RENGA_STORE": "node7:29400", "RENGA_STORE_KEY": "x"} if len(variables) > 1 else {}
    if variables["RENGA_RANK"] != "1":
        others = {"RENGA_SIZE": "2", "RENGA_STORE": "node7:29400", "RENGA_STORE_KEY": "x"}
    for name, value in {**others, **variables}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(RengaError, match=words):
        place_of_this_process()


def test_rank_0_cannot_listen_there(monkeypatch):
    with Store(("127.0.0.1", 0), b"x") as other:
        place = f"127.0.0.1:{other.address[1]}"
        for name, value in {RANK: "0", SIZE: "2", STORE: place, KEY: "x"}.items():
            monkeypatch.setenv(name, value)
        with pytest.raises(RengaError, match=rf"rank 0 cannot listen at RENGA_STORE={place}: .*in use. Next: set"):
            TcpCommunicator()


def test_alone():
    comm = TcpCommunicator()
    assert (comm.rank, comm.size, comm.allreduce_obj(3), comm.bcast_obj("x")) == (0, 1, 3, "x")
    comm.finalize()


def test_ranks_tell_the_store_how_long_they_wait(tmp_path, monkeypatch):
    """A run file sets `distributed.timeout` in its ranks, and not in the process of `renga launch`."""
    path = str(tmp_path / "store")
    variables = {RANK: "0", SIZE: "2", STORE: path, KEY: "x", SERVED: "1", "RENGA_DISTRIBUTED_TIMEOUT": "0.1"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with Store(path, b"x"), pytest.raises(RankFailed, match=r"rank 1 \(never came\) has not come in 0.1 s"):
        TcpCommunicator()
