"""Faults of the stand-in for libnccl: each is seen by the others as on a real one, and what recovers from them does."""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from fake_libnccl import NoCompilerError, library
from fake_libnccl_ranks import (
    INVALID_USAGE,
    LAUNCH_FAILURE,
    NOT_READY,
    REMOTE_ERROR,
    SYSTEM_ERROR,
    Config,
    Rank,
    UniqueId,
    run_ranks,
)

KILLED = -signal.SIGKILL


@pytest.fixture(scope="module", autouse=True)
def built():
    try:
        return library()
    except NoCompilerError as error:
        pytest.skip(str(error))


def run(program, size, statuses=None, **options):
    """Runs a program; all ranks must end as `statuses` say, which is well by default. What they returned."""
    outcomes = run_ranks(__file__, program, size, **options)
    for number, (outcome, status) in enumerate(zip(outcomes, statuses or [0] * size, strict=True)):
        assert (outcome.status, outcome.error) == (status, ""), f"rank {number}: {outcome.stderr}"
    return [outcome.value for outcome in outcomes]


def sum_of_ones(rank: Rank, comm=None, size=None):
    """An allreduce; None if it ended well and right, else the error of the stream."""
    mine, result = np.ones(4, np.float32), np.full(4, np.nan, np.float32)
    rank.ok(rank.call("ncclAllReduce", mine, result, 4, "float32", "sum", comm=comm))
    error = rank.synchronize()
    if error:
        return error
    assert (result == (size or rank.size)).all()
    return None


def third_call(rank: Rank):
    """Two good calls, then one that does not end by itself: the asynchronous error it gives, the stream's, the text."""
    rank.join()
    fault, unnoticed = os.environ["FAULT"], os.environ.get("FAKE_NCCL_DEATH") == "hang"
    assert [sum_of_ones(rank), sum_of_ones(rank)] == [None, None]
    mine, result = np.ones(4, np.float32), np.full(4, np.nan, np.float32)
    rank.ok(rank.call("ncclAllReduce", mine, result, 4, "float32", "sum"))
    if rank.number == 1 and fault == "kill":
        time.sleep(60)
    expected = (fault == "kill" and not unnoticed) or (fault == "error" and rank.number == 1)
    state = rank.wait_for_state(REMOTE_ERROR) if expected else 0
    time.sleep(0.1)
    assert rank.lib.fakecudaStreamQuery(None) == NOT_READY
    assert np.isnan(result).all()
    text = rank.error()
    if fault != "kill":
        rank.meet("stuck")
    rank.ok(rank.lib.ncclCommAbort(rank.comm))
    return state, rank.synchronize(), text


@pytest.mark.parametrize("kind", ["kill", "kill-within"])
def test_the_others_of_a_killed_rank_hang_with_a_remote_error_until_they_abort(kind):
    environment = {"FAULT": "kill", "FAKE_NCCL_FAULTS": f"1:3:{kind}"}
    survivor, _ = run("third_call", 2, [0, KILLED], environment=environment)
    assert survivor[:2] == (REMOTE_ERROR, LAUNCH_FAILURE)
    assert "rank 1 (process " in survivor[2]
    assert "is dead; waiting in AllReduce(count=4, float32, sum)" in survivor[2]


def test_a_death_may_go_unnoticed():
    environment = {"FAULT": "kill", "FAKE_NCCL_FAULTS": "1:3:kill", "FAKE_NCCL_DEATH": "hang"}
    survivor, _ = run("third_call", 2, [0, KILLED], environment=environment)
    assert survivor[:2] == (0, LAUNCH_FAILURE)


def test_an_asynchronous_error_on_demand_and_a_hang_are_freed_by_abort():
    _, failed = run("third_call", 2, environment={"FAULT": "error", "FAKE_NCCL_FAULTS": "1:3:error"})
    assert failed == (REMOTE_ERROR, LAUNCH_FAILURE, "a fault was asked for at call 3")
    values = run("third_call", 2, environment={"FAULT": "hang", "FAKE_NCCL_FAULTS": "0:9:kill 1:3:hang"})
    assert [value[:2] for value in values] == [(0, LAUNCH_FAILURE)] * 2


def refused_and_slow(rank: Rank):
    """The faults come from a file, written while the ranks run."""
    rank.join()
    assert sum_of_ones(rank) is None
    if rank.number == 0:
        Path(os.environ["FAKE_NCCL_FAULT_FILE"]).write_text("0:2:refuse\n1:2:slow:200\n")
    rank.meet("written")
    mine, result = np.ones(4, np.float32), np.zeros(4, np.float32)
    start = time.monotonic()
    codes = [rank.call("ncclAllReduce", mine, result, 4, "float32", "sum")]
    if codes == [SYSTEM_ERROR]:
        assert "a fault was asked for" in rank.error()
        codes.append(rank.call("ncclAllReduce", mine, result, 4, "float32", "sum"))
    rank.ok(rank.synchronize())
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))
    return codes, time.monotonic() - start


def test_a_call_is_refused_and_another_is_slow_as_a_file_says(tmp_path):
    (zero, _), (one, seconds) = run(
        "refused_and_slow", 2, environment={"FAKE_NCCL_FAULT_FILE": str(tmp_path / "faults")}
    )
    assert (zero, one) == ([SYSTEM_ERROR, 0], [0])
    assert seconds >= 0.2


def destroy(rank: Rank):
    """Rank 1 is killed; the destroy of rank 0 waits for it until it aborts."""
    rank.join()
    if rank.number:
        rank.say("pid", str(os.getpid()).encode())
        time.sleep(60)
    os.kill(int(rank.hear("pid")), signal.SIGKILL)
    thread = threading.Thread(target=rank.lib.ncclCommDestroy, args=(rank.comm,))
    thread.start()
    rank.wait_for_state(REMOTE_ERROR)
    time.sleep(0.2)
    assert thread.is_alive()
    text = rank.error()
    rank.ok(rank.lib.ncclCommAbort(rank.comm))
    thread.join()
    return text


def test_destroy_waits_for_a_dead_rank_until_abort():
    text, _ = run("destroy", 2, [0, KILLED])
    assert "is dead; waiting in ncclCommFinalize or ncclCommDestroy" in text


def late_rank(rank: Rank):
    """The others wait in ncclCommInitRank until the last is there."""
    if rank.number == 1:
        time.sleep(0.3)
        rank.say("coming")
    rank.join()
    assert (rank.folder / "coming").exists()
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))


def test_a_new_communicator_waits_for_all_ranks():
    run("late_rank", 3)


def shrink(rank: Rank):
    """Rank 1 dies in the second call; the others go on without it."""
    rank.join()
    assert sum_of_ones(rank) is None
    mine, result = np.ones(4, np.float32), np.zeros(4, np.float32)
    rank.ok(rank.call("ncclAllReduce", mine, result, 4, "float32", "sum"))
    rank.wait_for_state(REMOTE_ERROR)
    child = ctypes.c_void_p()
    dead = (ctypes.c_int * 1)(1)
    arguments = (dead, 1, ctypes.byref(child), None)
    assert rank.lib.ncclCommShrink(rank.comm, *arguments, 0) == REMOTE_ERROR
    rank.ok(rank.lib.ncclCommShrink(rank.comm, *arguments, 1))
    assert rank.synchronize() == LAUNCH_FAILURE
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))
    number = ctypes.c_int()
    rank.ok(rank.lib.ncclCommUserRank(child, ctypes.byref(number)))
    assert sum_of_ones(rank, child, rank.size - 1) is None
    rank.ok(rank.lib.ncclCommDestroy(child))
    return number.value


def test_shrink_with_abort_goes_on_without_a_dead_rank():
    values = run("shrink", 4, [0, KILLED, 0, 0], environment={"FAKE_NCCL_FAULTS": "1:2:kill-within"})
    assert values == [0, None, 1, 2]


def split(rank: Rank):
    """Odd and even ranks, in the reverse order; the last rank stays out."""
    rank.join()
    child = ctypes.c_void_p()
    color = -1 if rank.number == rank.size - 1 else rank.number % 2
    rank.ok(rank.lib.ncclCommSplit(rank.comm, color, -rank.number, ctypes.byref(child), None))
    number = ctypes.c_int(-1)
    if color >= 0:
        rank.ok(rank.lib.ncclCommUserRank(child, ctypes.byref(number)))
        assert sum_of_ones(rank, child, 2 if color == 0 else 1) is None
        rank.ok(rank.lib.ncclCommDestroy(child))
    else:
        assert not child
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))
    return number.value


def test_split_makes_groups_in_the_order_of_their_keys():
    assert run("split", 4) == [1, 0, 0, -1]


def revoke(rank: Rank):
    """A collective that rank 1 never enters is stopped by revoke, after which a split of the parent works."""
    rank.join()
    stream = rank.new_stream()
    mine, result = np.ones(4, np.float32), np.zeros(4, np.float32)
    if rank.number != 1:
        rank.ok(rank.call("ncclAllReduce", mine, result, 4, "float32", "sum", stream=stream))
    rank.meet("issued")
    rank.ok(rank.lib.ncclCommRevoke(rank.comm, 0))
    assert rank.asynchronous_error() == 0
    assert rank.synchronize(stream) == (0 if rank.number == 1 else LAUNCH_FAILURE)
    assert rank.call("ncclAllReduce", mine, result, 4, "float32", "sum") == INVALID_USAGE
    assert rank.lib.ncclCommFinalize(rank.comm) == INVALID_USAGE
    child = ctypes.c_void_p()
    rank.ok(rank.lib.ncclCommSplit(rank.comm, 0, rank.number, ctypes.byref(child), None))
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))
    assert sum_of_ones(rank, child) is None
    rank.ok(rank.lib.ncclCommDestroy(child))


def test_revoke_stops_what_runs_and_leaves_a_parent_to_split():
    run("revoke", 3)


def grow(rank: Rank):
    """Two ranks become three; the third has only the id."""
    child = ctypes.c_void_p()
    rank.ok(rank.lib.fakecudaSetDevice(rank.number))
    if rank.number == 2:
        identity = UniqueId.from_buffer_copy(rank.hear("grow"))
        rank.ok(rank.lib.ncclCommGrow(None, 3, ctypes.byref(identity), 2, ctypes.byref(child), None))
    else:
        parent = ctypes.c_void_p()
        rank.ok(rank.lib.ncclCommInitRank(ctypes.byref(parent), 2, rank.unique_id(), rank.number))
        identity, none = UniqueId(), None
        if rank.number == 1:
            rank.ok(rank.lib.ncclCommGetUniqueId(parent, ctypes.byref(identity)))
            assert rank.lib.ncclCommGetUniqueId(parent, ctypes.byref(identity)) == INVALID_USAGE
            rank.say("grow", bytes(bytearray(identity)))
        given = ctypes.byref(identity) if rank.number == 1 else none
        rank.ok(rank.lib.ncclCommGrow(parent, 3, given, -1, ctypes.byref(child), None))
        rank.ok(rank.lib.ncclCommDestroy(parent))
    assert sum_of_ones(rank, child) is None
    rank.ok(rank.lib.ncclCommDestroy(child))


def test_grow_takes_in_a_new_rank():
    run("grow", 3)


def aborted_join(rank: Rank):
    """A non-blocking communicator whose other rank never comes is given up."""
    rank.size = 2
    rank.join(config=Config(blocking=0))
    time.sleep(0.05)
    rank.ok(rank.lib.ncclCommAbort(rank.comm))


def test_a_communicator_that_never_comes_together_can_be_aborted():
    run("aborted_join", 1)


def test_nothing_is_left_in_shared_memory():
    before = set(os.listdir("/dev/shm"))
    run("third_call", 2, [0, KILLED], environment={"FAULT": "kill", "FAKE_NCCL_FAULTS": "1:3:kill"})
    assert not [name for name in set(os.listdir("/dev/shm")) - before if "nccl" in name]
