"""Streams, events and graphs of the stand-in: work is done later and in order, and reading too early is seen."""

from __future__ import annotations

import ctypes
import time

import numpy as np
import pytest
from fake_libnccl import NoCompilerError, library
from fake_libnccl_ranks import INVALID_USAGE, LAUNCH_FAILURE, NOT_READY, Rank, run_ranks

CAPTURE_UNSUPPORTED, CAPTURE_INVALIDATED, UNJOINED, ISOLATION = 900, 901, 904, 905
FLOATS = 6
LATER = {"FAKE_NCCL_DELAY_US": "60000", "FAKE_NCCL_SEED": "1", "FAKE_NCCL_POISON": "1"}


@pytest.fixture(scope="module", autouse=True)
def built():
    try:
        return library()
    except NoCompilerError as error:
        pytest.skip(str(error))


def run(program, size, **options):
    """Runs a program on `size` ranks, which must all end well; what they returned."""
    outcomes = run_ranks(__file__, program, size, **options)
    for number, outcome in enumerate(outcomes):
        assert (outcome.status, outcome.error) == (0, ""), f"rank {number}: {outcome.stderr}"
    return [outcome.value for outcome in outcomes]


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def ordered(rank: Rank):
    """Copies, host functions, events and waits on two streams, against the order in which they must happen."""
    lib, order = rank.lib, []
    one, two, event, start = rank.new_stream(), rank.new_stream(), ctypes.c_void_p(), ctypes.c_void_p()
    rank.ok(lib.fakecudaEventCreate(ctypes.byref(event)))
    rank.ok(lib.fakecudaEventCreate(ctypes.byref(start)))
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    slow = callback(lambda _: (time.sleep(0.1), order.append("slow"))[0])
    after = callback(lambda _: order.append("after"))
    source, target = np.arange(FLOATS, dtype=np.float32), np.zeros(FLOATS, np.float32)
    rank.ok(lib.fakecudaEventQuery(event))  # never recorded
    rank.ok(lib.fakecudaEventRecord(start, one))
    rank.ok(lib.fakecudaLaunchHostFunc(one, slow, None))
    rank.ok(lib.fakecudaMemcpyAsync(pointer(target), pointer(source), ctypes.c_size_t(target.nbytes), one))
    rank.ok(lib.fakecudaEventRecord(event, one))
    assert lib.fakecudaEventQuery(event) == NOT_READY
    rank.ok(lib.fakecudaStreamWaitEvent(two, event, 0))
    rank.ok(lib.fakecudaLaunchHostFunc(two, after, None))
    assert lib.fakecudaStreamQuery(two) == NOT_READY
    assert (order, target.any()) == ([], False)
    rank.ok(rank.synchronize(two))
    assert order == ["slow", "after"]
    np.testing.assert_array_equal(target, source)
    milliseconds = ctypes.c_float()
    rank.ok(lib.fakecudaEventElapsedTime(ctypes.byref(milliseconds), start, event))
    assert milliseconds.value >= 100
    # The default stream waits for those that do not say that they do not block, and they for it.
    plain = ctypes.c_void_p()
    rank.ok(lib.fakecudaStreamCreate(ctypes.byref(plain)))
    rank.ok(lib.fakecudaLaunchHostFunc(plain, slow, None))
    rank.ok(lib.fakecudaLaunchHostFunc(None, after, None))
    rank.ok(rank.synchronize(None))
    assert order[2:] == ["slow", "after"]
    rank.ok(lib.fakecudaLaunchHostFunc(None, slow, None))
    rank.ok(lib.fakecudaLaunchHostFunc(plain, after, None))
    rank.ok(rank.synchronize(plain))
    assert order[4:] == ["slow", "after"]
    rank.ok(lib.fakecudaStreamDestroy(plain))
    assert lib.fakecudaStreamSynchronize(plain) == 400
    rank.ok(lib.fakecudaEventDestroy(event))
    # New memory holds NaN; devices are those that the variable picks.
    memory = ctypes.c_void_p()
    rank.ok(lib.fakecudaMalloc(ctypes.byref(memory), ctypes.c_size_t(16)))
    assert np.isnan(np.ctypeslib.as_array(ctypes.cast(memory, ctypes.POINTER(ctypes.c_float)), (4,))).all()
    rank.ok(lib.fakecudaFree(memory))
    count = ctypes.c_int()
    rank.ok(lib.fakecudaGetDeviceCount(ctypes.byref(count)))
    assert (count.value, lib.fakecudaSetDevice(2)) == (2, 101)


def test_streams_keep_their_order_and_events_join_them():
    run("ordered", 1, environment={"CUDA_VISIBLE_DEVICES": "3,5"})


def early(rank: Rank):
    """A collective returns at once; its result is NaN until the stream is synchronized, its input where it was."""
    rank.join()
    stream = rank.new_stream()
    mine, result = np.ones(FLOATS, np.float32), np.zeros(FLOATS, np.float32)
    rank.ok(rank.call("ncclAllReduce", mine, result, FLOATS, "float32", "sum", stream=stream))
    early = result.copy()
    rank.ok(rank.synchronize(stream))
    assert np.isnan(early).all()
    assert (result == rank.size).all()
    assert (mine == 1).all()
    rank.ok(rank.call("ncclAllReduce", mine, mine, FLOATS, "float32", "sum", stream=stream))
    rank.ok(rank.synchronize(stream))
    assert (mine == rank.size).all()
    # A write to the input, or to the result, while the collective runs. Rank 1 comes late to it, so that it runs long.
    found = {}
    for which in ["input", "result"]:
        rank.join(which)
        arrays = {"input": np.ones(FLOATS, np.float32), "result": np.zeros(FLOATS, np.float32)}
        if rank.number == 1:
            rank.hear(f"wrote-{which}")
        rank.ok(rank.call("ncclAllReduce", *arrays.values(), FLOATS, "float32", "sum", stream=stream))
        if rank.number == 0:
            time.sleep(0.2)
            arrays[which][2] = 7
            rank.say(f"wrote-{which}")
        error = rank.synchronize(stream)
        found[which] = error, rank.asynchronous_error(), rank.error() if error else ""
        rank.ok(rank.lib.ncclCommAbort(rank.comm))
    return found


def test_results_are_poisoned_and_races_with_the_host_are_found():
    zero, one = run("early", 2, environment=LATER)
    call = "AllReduce(count=6, float32, sum)"
    assert zero == {
        "input": (LAUNCH_FAILURE, INVALID_USAGE, f"the input of {call} was changed while it ran"),
        "result": (LAUNCH_FAILURE, INVALID_USAGE, f"the result of {call} was written to while it ran"),
    }
    assert one == {"input": (0, 0, ""), "result": (0, 0, "")}


def captured(rank: Rank):
    """An allreduce on a stream that joined the capture, launched three times; what may not be done in a capture."""
    lib = rank.lib
    rank.join()
    origin, other = rank.new_stream(), rank.new_stream()
    fork, back, outside = (ctypes.c_void_p() for _ in range(3))
    for event in (fork, back, outside):
        rank.ok(lib.fakecudaEventCreate(ctypes.byref(event)))
    rank.ok(lib.fakecudaEventRecord(outside, other))
    values, copy = np.ones(FLOATS, np.float32), np.zeros(FLOATS, np.float32)
    graph = ctypes.c_void_p()

    def capture(join):
        rank.ok(lib.fakecudaStreamBeginCapture(origin))
        rank.ok(lib.fakecudaEventRecord(fork, origin))
        rank.ok(lib.fakecudaStreamWaitEvent(other, fork, 0))
        rank.ok(rank.call("ncclAllReduce", values, values, FLOATS, "float32", "sum", stream=other))
        if join:
            rank.ok(lib.fakecudaEventRecord(back, other))
            rank.ok(lib.fakecudaStreamWaitEvent(origin, back, 0))
            rank.ok(lib.fakecudaMemcpyAsync(pointer(copy), pointer(values), ctypes.c_size_t(copy.nbytes), origin))
        return lib.fakecudaStreamEndCapture(origin, ctypes.byref(graph))

    assert capture(join=False) == UNJOINED
    rank.ok(capture(join=True))
    time.sleep(0.05)
    assert (values == 1).all()
    for launch in range(1, 4):
        rank.ok(lib.fakecudaGraphLaunch(graph, origin))
        rank.ok(rank.synchronize(origin))
        assert (copy == rank.size**launch).all()
    rank.ok(lib.fakecudaGraphDestroy(graph))
    rank.ok(lib.fakecudaStreamBeginCapture(origin))
    assert lib.fakecudaStreamWaitEvent(origin, outside, 0) == ISOLATION
    assert rank.synchronize(origin) == CAPTURE_UNSUPPORTED
    assert lib.fakecudaStreamEndCapture(origin, ctypes.byref(graph)) == CAPTURE_INVALIDATED
    rank.ok(lib.ncclCommDestroy(rank.comm))


def test_a_collective_is_captured_and_launched_again():
    run("captured", 2)


def several_streams(rank: Rank):
    """One group with calls on two streams: both wait for all of it."""
    rank.join()
    streams = [rank.new_stream(), rank.new_stream()]
    results = [np.full(FLOATS, 1 + i, np.float32) for i in range(2)]
    rank.ok(rank.lib.ncclGroupStart())
    for stream, result in zip(streams, results, strict=True):
        rank.ok(rank.call("ncclAllReduce", result, result, FLOATS, "float32", "sum", stream=stream))
    rank.ok(rank.lib.ncclGroupEnd())
    rank.ok(rank.synchronize(streams[1]))
    assert [result[0] for result in results] == [rank.size, 2 * rank.size]
    # Calls of one communicator on two streams run in the order of the calls, though rank 0's first stream is held up.
    slow = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: time.sleep(0.1))
    for _ in range(3):
        if rank.number == 0:
            rank.ok(rank.lib.fakecudaLaunchHostFunc(streams[0], slow, None))
        for count, stream, result in zip((FLOATS, 2), streams, results, strict=True):
            rank.ok(rank.call("ncclAllReduce", result, result, count, "float32", "max", stream=stream))
        for stream in streams:
            rank.ok(rank.synchronize(stream))
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))


def test_a_communicator_keeps_the_order_of_its_calls_over_streams():
    run("several_streams", 3, environment={"FAKE_NCCL_DELAY_US": "2000", "FAKE_NCCL_SEED": "5"})
