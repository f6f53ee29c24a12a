"""The stand-in for libnccl keeps NCCL's rules: each is breached once, and the breach is found."""

from __future__ import annotations

import ctypes
import time

import numpy as np
import pytest
from fake_libnccl import NoCompilerError, library
from fake_libnccl_ranks import (
    IN_PROGRESS,
    INVALID_ARGUMENT,
    INVALID_USAGE,
    LAUNCH_FAILURE,
    UNHANDLED_CUDA_ERROR,
    Config,
    Rank,
    run_ranks,
)


@pytest.fixture(scope="module", autouse=True)
def built():
    try:
        return library()
    except NoCompilerError as error:
        pytest.skip(str(error))


def run(program, size, **options):
    """Runs a program on `size` ranks, which must all end well; how they ended."""
    outcomes = run_ranks(__file__, program, size, **options)
    for number, outcome in enumerate(outcomes):
        assert (outcome.status, outcome.error) == (0, ""), f"rank {number}: {outcome.stderr}"
    return outcomes


def first(result):
    """The arrays of an allreduce of 4 floats, the second NaN."""
    return np.full(4, result, np.float32), np.full(4, np.nan, np.float32)


BREACHES = {
    "operation": (("ncclAllReduce", 4, "float32", "sum"), ("ncclBroadcast", 4, "float32", 0)),
    "count": (("ncclAllReduce", 4, "float32", "sum"), ("ncclAllReduce", 3, "float32", "sum")),
    "type": (("ncclAllReduce", 4, "float32", "sum"), ("ncclAllReduce", 4, "float16", "sum")),
    "operator": (("ncclAllReduce", 4, "float32", "sum"), ("ncclAllReduce", 4, "float32", "max")),
    "root": (("ncclBroadcast", 4, "float32", 0), ("ncclBroadcast", 4, "float32", 1)),
}


def different_calls(rank: Rank):
    """Makes each of the breaches on a communicator of its own."""
    found = {}
    for breach, calls in BREACHES.items():
        rank.join(breach)
        mine, result = first(rank.number)
        rank.ok(rank.call(calls[rank.number][0], mine, result, *calls[rank.number][1:]))
        assert rank.synchronize() == LAUNCH_FAILURE
        assert rank.asynchronous_error() == INVALID_USAGE
        text = rank.error()
        assert rank.call("ncclAllReduce", mine, result, 4, "float32", "sum") == INVALID_USAGE
        rank.ok(rank.lib.ncclCommAbort(rank.comm))
        found[breach] = text
    return found


def test_calls_that_differ_between_ranks_are_named_both():
    outcomes = run("different_calls", 2)
    for number, outcome in enumerate(outcomes):
        words = {
            "operation": ("AllReduce(count=4, float32, sum)", "Broadcast(count=4, float32, root=0)"),
            "count": ("count=4", "count=3"),
            "type": ("float32", "float16"),
            "operator": ("sum", "max"),
            "root": ("root=0", "root=1"),
        }
        for breach, (zero, one) in words.items():
            text = outcome.value[breach]
            assert f"rank {number} calls" in text
            assert zero in text
            assert one in text
            assert text in outcome.stderr


def different_calls_hang(rank: Rank):
    rank.join()
    mine, result = first(1)
    name, *arguments = BREACHES["count"][rank.number]
    rank.ok(rank.call(name, mine, result, *arguments))
    time.sleep(0.1)
    assert rank.lib.fakecudaStreamQuery(None) == 600
    assert rank.asynchronous_error() == 0
    rank.ok(rank.lib.ncclCommAbort(rank.comm))
    return rank.synchronize()


def test_calls_that_differ_hang_until_abort_where_that_is_asked_for():
    outcomes = run("different_calls_hang", 2, environment={"FAKE_NCCL_MISMATCH": "hang", "FAKE_NCCL_DEATH": "hang"})
    assert [outcome.value for outcome in outcomes] == [LAUNCH_FAILURE] * 2


def message_differs(rank: Rank):
    rank.join()
    if rank.number == 0:
        rank.ok(rank.call("ncclSend", np.zeros(4, np.float32), 4, "float32", 1))
        rank.hear("found")
    else:
        rank.ok(rank.call("ncclRecv", np.zeros(4, np.float32), 5, "float32", 0))
        rank.synchronize()
        rank.say("found")
    text = rank.error()
    rank.ok(rank.lib.ncclCommAbort(rank.comm))
    return text


def test_a_message_that_is_not_the_one_expected_is_named():
    text = run("message_differs", 2)[1].value
    assert "Recv(count=5, float32, peer=0)" in text
    assert "Send(count=4, float32, peer=1)" in text


def two_communicators(rank: Rank):
    """Used in different orders on two ranks, on a stream each, they block each other; in the same order they do not."""
    comms = [rank.join("a"), rank.join("b")]
    streams = [rank.new_stream(), rank.new_stream()]
    for order, last in [([0, 1], False), ([0, 1] if rank.number else [1, 0], True)]:
        results = [first(1) for _ in comms]
        for which in order:
            arguments = (*results[which], 4, "float32", "sum")
            rank.ok(rank.call("ncclAllReduce", *arguments, comm=comms[which], stream=streams[which]))
            time.sleep(0.05)
        rank.meet(f"issued-{last}")
        if last:
            time.sleep(0.2)
            blocked = [rank.lib.fakecudaStreamQuery(stream) == 600 for stream in streams]
            rank.meet("seen")
            for comm in comms:
                rank.ok(rank.lib.ncclCommAbort(comm))
            return blocked
        for stream in streams:
            rank.ok(rank.synchronize(stream))
        assert all((result == 2).all() for _, result in results)
    return None


def test_two_communicators_in_different_orders_block_each_other():
    environment = {"FAKE_NCCL_DEATH": "hang", "FAKE_NCCL_HANG_REPORT": "0"}
    assert [outcome.value for outcome in run("two_communicators", 2, environment=environment)] == [[True, True]] * 2


def same_device(rank: Rank):
    rank.ok(rank.lib.fakecudaSetDevice(0))
    comm = ctypes.c_void_p()
    result = rank.lib.ncclCommInitRank(ctypes.byref(comm), rank.size, rank.unique_id(), rank.number)
    text = rank.error()
    if not result:
        mine, total = first(1)
        rank.ok(rank.call("ncclAllReduce", mine, total, 4, "float32", "sum", comm=comm))
        rank.ok(rank.synchronize())
        assert (total == rank.size).all()
        rank.ok(rank.lib.ncclCommDestroy(comm))
    return result, text


def test_two_ranks_on_a_device_are_refused_unless_they_are_allowed():
    for outcome in run("same_device", 2):
        assert outcome.value == (INVALID_USAGE, "Duplicate GPU detected: rank 0 and rank 1 are both on device 0")
    for outcome in run("same_device", 2, environment={"NCCL_MULTI_RANK_GPU_ENABLE": "1"}):
        assert outcome.value[0] == 0


def arguments(rank: Rank):
    """Wrong arguments are refused, and so is any use after the end."""
    lib, stream = rank.lib, rank.new_stream()
    config = Config()
    config.magic = 7
    handle = ctypes.c_void_p()
    identity = rank.unique_id("unused")
    assert lib.ncclCommInitRankConfig(ctypes.byref(handle), 1, identity, 0, ctypes.byref(config)) == INVALID_ARGUMENT
    config = Config()
    config.size -= 8
    assert lib.ncclCommInitRankConfig(ctypes.byref(handle), 1, identity, 0, ctypes.byref(config)) == INVALID_ARGUMENT
    assert lib.ncclCommInitRank(ctypes.byref(handle), 2, identity, 2) == INVALID_ARGUMENT
    rank.join()
    a, b = first(1)
    for name, *wrong in [
        ("ncclAllReduce", a, b, 4, ctypes.c_int(12), "sum"),
        ("ncclAllReduce", a, b, 4, "float32", ctypes.c_int(5)),
        ("ncclAllReduce", a, None, 4, "float32", "sum"),
        ("ncclBroadcast", a, b, 4, "float32", 1),
        ("ncclSend", a, 4, "float32", 1),
    ]:
        assert rank.call(name, *wrong) == INVALID_ARGUMENT, name
    right = ("ncclAllReduce", a, b, 4, "float32", "sum")
    rank.ok(lib.fakecudaSetDevice(1))
    assert rank.call(*right, stream=rank.new_stream()) == UNHANDLED_CUDA_ERROR
    rank.ok(lib.fakecudaSetDevice(0))
    assert lib.ncclGroupEnd() == INVALID_USAGE
    # One wrong call spoils the whole group.
    rank.ok(lib.ncclGroupStart())
    rank.ok(rank.call(*right, stream=stream))
    assert rank.call("ncclBroadcast", a, b, 4, "float32", 1) == INVALID_ARGUMENT
    assert lib.ncclGroupEnd() == INVALID_ARGUMENT
    rank.ok(rank.synchronize(stream))
    assert np.isnan(b).all()
    rank.ok(lib.ncclCommFinalize(rank.comm))
    assert rank.call(*right) == INVALID_USAGE
    rank.ok(lib.ncclCommDestroy(rank.comm))
    assert rank.call(*right) == INVALID_ARGUMENT
    assert "destroyed or aborted" in rank.error()
    rank.join("again")
    rank.ok(lib.ncclCommAbort(rank.comm))
    assert rank.call(*right) == INVALID_ARGUMENT
    assert lib.ncclCommAbort(rank.comm) == INVALID_ARGUMENT


def test_wrong_arguments_and_use_after_the_end_are_refused():
    run("arguments", 1)


def non_blocking(rank: Rank):
    """Calls say that they are in progress, and the next must wait for that. Rank 1 comes late, for rank 0 to see it."""
    if rank.number:
        rank.hear("checked")
    rank.join(config=Config(blocking=0))
    if rank.number == 0:
        assert rank.asynchronous_error() == IN_PROGRESS
        mine, result = first(1)
        assert rank.call("ncclAllReduce", mine, result, 4, "float32", "sum") == INVALID_ARGUMENT
        rank.say("checked")
    rank.wait_for_state(0)
    mine, result = first(1)
    assert rank.call("ncclAllReduce", mine, result, 4, "float32", "sum") == IN_PROGRESS
    rank.wait_for_state(0)
    rank.ok(rank.synchronize())
    assert (result == rank.size).all()
    assert rank.lib.ncclCommFinalize(rank.comm) == IN_PROGRESS
    rank.wait_for_state(0)
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))


def test_a_non_blocking_communicator_must_be_asked_before_the_next_call():
    run("non_blocking", 2)


def one_process(rank: Rank):
    """Four ranks in one process: their calls must be one group."""
    comms = (ctypes.c_void_p * 4)()
    rank.ok(rank.lib.ncclCommInitAll(comms, 4, None))
    results = [first(number) for number in range(4)]
    rank.ok(rank.lib.ncclGroupStart())
    for comm, (mine, result) in zip(comms, results, strict=True):
        rank.ok(rank.call("ncclAllReduce", mine, result, 4, "float32", "sum", comm=ctypes.c_void_p(comm)))
    rank.ok(rank.lib.ncclGroupEnd())
    for number in range(4):
        rank.ok(rank.lib.fakecudaSetDevice(number))
        rank.ok(rank.lib.fakecudaDeviceSynchronize())
    assert all((result == 6).all() for _, result in results)
    for comm in comms:
        rank.ok(rank.lib.ncclCommDestroy(ctypes.c_void_p(comm)))


def test_one_process_may_hold_all_ranks():
    run("one_process", 1)


def test_an_older_library_lacks_what_came_later():
    old = ctypes.CDLL(str(library(22602)))
    version = ctypes.c_int()
    assert old.ncclGetVersion(ctypes.byref(version)) == 0
    assert version.value == 22602
    middle, new = (ctypes.CDLL(str(library(number))) for number in (22803, 22902))
    for name, has in [
        ("ncclCommSplit", [True, True, True]),
        ("ncclCommShrink", [False, True, True]),
        ("ncclAlltoAll", [False, True, True]),
        ("ncclCommRevoke", [False, False, True]),
        ("ncclCommGrow", [False, False, True]),
    ]:
        assert [hasattr(one, name) for one in (old, middle, new)] == has, name
    for name, *more in [("ncclCommDestroy",), ("ncclCommAbort",), ("ncclCommFinalize",), ("ncclCommRevoke", 0)]:
        assert getattr(new, name)(None, *more) == 0  # NCCL 2.29.2 takes NULL too
