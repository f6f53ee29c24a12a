"""The rank pool that other tests run on."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.testing import RankPool, RanksFailed


class Odd(Exception):
    """Refuses to be made again from its arguments."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def who_and_sum(base):
    from mpi4py import MPI

    return MPI.COMM_WORLD.rank, MPI.COMM_WORLD.allreduce(base + MPI.COMM_WORLD.rank)


def raise_on(rank, kind):
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank == rank:
        raise kind("no luck today") if kind is not Odd else Odd("one", "two")
    return np.arange(3)


def die_on(rank, how):
    from mpi4py import MPI

    print("last words of", MPI.COMM_WORLD.rank, flush=True)
    if MPI.COMM_WORLD.rank == rank:
        os.kill(os.getpid(), how)
    MPI.COMM_WORLD.Barrier()


def miss_barrier(rank):
    from mpi4py import MPI

    if MPI.COMM_WORLD.rank == rank:
        time.sleep(100)
    MPI.COMM_WORLD.Barrier()


def environment(name):
    return os.environ.get(name), os.getpid()


def test_what_each_rank_returns(rank_pool):
    assert rank_pool(2).run(who_and_sum, 10) == [(0, 21), (1, 21)]
    assert rank_pool(2).run((__file__, "who_and_sum"), 1) == [(0, 3), (1, 3)]
    assert rank_pool(2).run(os.path.basename, "a/b") == ["b", "b"]
    assert rank_pool(2) is rank_pool(2)


def test_exceptions_come_with_their_traceback(rank_pool):
    array, error = rank_pool(2).run(raise_on, 1, KeyError)
    np.testing.assert_array_equal(array, [0, 1, 2])
    assert isinstance(error, KeyError)
    assert error.args == ("no luck today",)
    assert error.__notes__[0].startswith("On rank 1:\nTraceback")
    assert 'raise kind("no luck today")' in error.__notes__[0]
    odd, _ = rank_pool(2).run(raise_on, 0, Odd)
    assert type(odd) is RuntimeError
    assert str(odd) == "Odd: one and two"
    exit_, _ = rank_pool(2).run(raise_on, 0, SystemExit)
    assert isinstance(exit_, SystemExit)


def test_only_functions_that_have_a_name(rank_pool):
    with pytest.raises(ValueError, match="is not a function at the top level"):
        rank_pool(2).run(lambda: None)


def test_dead_and_late_ranks_are_named_and_replaced():
    with RankPool(2, {"MARK": "here"}, ranks_per_node=1) as pool:
        (mark, first), _ = pool.run(environment, "MARK")
        assert mark == "here"
        assert pool.run(environment, "OMP_NUM_THREADS")[1][0] == "1"
        with pytest.raises(RanksFailed, match=r"rank 1 died \(2 ranks\)") as died:
            pool.run(die_on, 1, signal.SIGKILL)
        # On a busy machine mpiexec may end before it has passed on what the other rank wrote.
        assert re.search("last words of [01]", "".join(died.value.__notes__))
        assert not alive(first)
        (_, second), _ = pool.run(environment, "MARK")
        started_at = time.monotonic()
        with pytest.raises(RanksFailed, match="no answer from rank 0, 1 in time"):
            pool.run(miss_barrier, 1, timeout=0.5)
        assert time.monotonic() - started_at < 5
        assert not alive(second)


def test_ranks_end_with_whoever_made_the_pool(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, time\nfrom renga_comm_mpi.testing import RankPool\n"
        f"pool = RankPool(2)\nprint(*(pid for _, pid in pool.run(({str(Path(__file__))!r}, 'environment'), 'HOME')))\n"
        f"sys.stdout.flush()\npool.run(({str(Path(__file__))!r}, 'miss_barrier'), 1)\n"
    )
    process = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pids = [int(word) for word in process.stdout.readline().split()]
    assert len(pids) == 2
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
