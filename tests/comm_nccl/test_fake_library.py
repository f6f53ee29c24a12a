"""The stand-in for libnccl computes: collectives, messages, groups and operators against NumPy on 1 to 4 ranks."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from fake_libnccl import NoCompilerError, library
from fake_libnccl_ranks import Rank, run_ranks

INTEGERS = ["int8", "uint8", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]


@pytest.fixture(scope="module", autouse=True)
def built():
    try:
        return library()
    except NoCompilerError as error:
        pytest.skip(str(error))


def succeed(program, size, **options):
    """Runs a program on `size` ranks, which must all end well and say nothing on stderr; what they returned."""
    outcomes = run_ranks(__file__, program, size, **options)
    for number, outcome in enumerate(outcomes):
        assert (outcome.status, outcome.error, outcome.stderr) == (0, "", ""), f"rank {number}"
    return [outcome.value for outcome in outcomes]


def data(rank, dtype, count, salt=0):
    """Small whole numbers, the same for everybody who asks."""
    generator = np.random.default_rng([rank, count, salt])
    return generator.integers(1, 5, count).astype(dtype)


def ring(parts, scale=None):
    """The sum of one array from each rank as a ring makes it: rounded to the dtype at every hop, part by part."""
    size, count = len(parts), len(parts[0])
    result = np.empty_like(parts[0])
    for part in range(size):
        where = slice(count * part // size, count * (part + 1) // size)
        total = None
        for hop in range(1, size + 1):
            value = parts[(part + hop) % size][where]
            value = value if scale is None else value * parts[0].dtype.type(scale)
            total = value if total is None else total + value
        result[where] = total
    return result


def reductions(rank: Rank):
    rank.join()
    combine = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
    for dtype in INTEGERS + FLOATS:
        parts = [data(other, dtype, 37) for other in range(rank.size)]
        mine = parts[rank.number]
        for op in [*combine, "avg"]:
            if op == "avg" and dtype in FLOATS:
                expected = ring(parts, 1 / rank.size)
            elif op == "avg":
                expected = np.add.reduce(parts, dtype=dtype) // rank.size
            else:
                expected = combine[op].reduce(parts, dtype=dtype)
            result = np.zeros_like(mine)
            rank.ok(rank.call("ncclAllReduce", mine, result, 37, dtype, op))
            rank.ok(rank.synchronize())
            np.testing.assert_array_equal(result, expected, f"{dtype} {op}")
            last = rank.size - 1
            result = np.zeros_like(mine)
            rank.ok(rank.call("ncclReduce", mine, result, 37, dtype, op, last))
            rank.ok(rank.synchronize())
            np.testing.assert_array_equal(result, expected if rank.number == last else 0, f"{dtype} {op}")
        blocks = [data(other, dtype, 5 * rank.size, 1) for other in range(rank.size)]
        result = np.zeros(5, dtype)
        rank.ok(rank.call("ncclReduceScatter", blocks[rank.number], result, 5, dtype, "sum"))
        rank.ok(rank.synchronize())
        np.testing.assert_array_equal(result, np.add.reduce(blocks, dtype=dtype)[5 * rank.number :][:5])
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))


def copies(rank: Rank):
    rank.join()
    for dtype in ["int8", "float16", "float64"]:
        parts = [data(other, dtype, 3 * rank.size) for other in range(rank.size)]
        mine, every = parts[rank.number], np.stack(parts)
        columns = every.reshape(rank.size, rank.size, 3)[:, rank.number].ravel()
        root = rank.size - 1
        for name, arguments, length, expected in [
            ("ncclBroadcast", (mine.size, dtype, root), mine.size, parts[root]),
            ("ncclAllGather", (mine.size, dtype), every.size, every.ravel()),
            ("ncclAlltoAll", (3, dtype), mine.size, columns),
            ("ncclGather", (3, dtype, root), mine.size, [part[:3] for part in parts]),
            ("ncclScatter", (3, dtype, root), 3, parts[root][3 * rank.number :][:3]),
        ]:
            result = np.zeros(length, dtype)
            rank.ok(rank.call(name, mine, result, *arguments))
            rank.ok(rank.synchronize())
            if name != "ncclGather" or rank.number == root:
                np.testing.assert_array_equal(result, np.ravel(expected), name)
            else:
                assert not result.any()
        rank.ok(rank.call("ncclBcast", mine, mine.size, dtype, root))
        rank.ok(rank.synchronize())
        np.testing.assert_array_equal(mine, parts[root])
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))


def messages(rank: Rank):
    """Each rank sends to all, itself too, in one group; the long message goes in several chunks."""
    rank.join()
    lengths = [10, 70_001, 0]
    for length in lengths:
        results = np.zeros((rank.size, length), np.float32)
        mine = [data(rank.number * 10 + other, "float32", length) for other in range(rank.size)]
        rank.ok(rank.lib.ncclGroupStart())
        for other in range(rank.size):
            rank.ok(rank.call("ncclRecv", results[other], length, "float32", other))
            rank.ok(rank.call("ncclSend", mine[other], length, "float32", other))
        rank.ok(rank.lib.ncclGroupEnd())
        rank.ok(rank.synchronize())
        for other in range(rank.size):
            np.testing.assert_array_equal(results[other], data(other * 10 + rank.number, "float32", length))
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))


def half_sums(rank: Rank):
    """Sums of halves are rounded at every hop: they overflow, and lose what PreMulSum keeps."""
    rank.join()
    large = np.full(8, 40000, np.float16)
    result = np.zeros_like(large)
    rank.ok(rank.call("ncclAllReduce", large, result, 8, "float16", "sum"))
    rank.ok(rank.synchronize())
    naive = result.copy()
    op = ctypes.c_int()
    scalar = np.array(1 / rank.size, np.float16)
    pointer = ctypes.c_void_p(scalar.ctypes.data)
    rank.ok(rank.lib.ncclRedOpCreatePreMulSum(ctypes.byref(op), pointer, 6, 1, rank.comm))
    rank.ok(rank.call("ncclAllReduce", large, result, 8, "float16", ctypes.c_int(op.value)))
    rank.ok(rank.synchronize())
    rank.ok(rank.lib.ncclRedOpDestroy(op, rank.comm))
    random = [np.random.default_rng(other).normal(size=101).astype(np.float16) for other in range(rank.size)]
    rounded = np.zeros_like(random[0])
    rank.ok(rank.call("ncclAllReduce", random[rank.number], rounded, 101, "float16", "sum"))
    rank.ok(rank.synchronize())
    np.testing.assert_array_equal(rounded, ring(random))
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))
    return naive, result


def bfloat_sums(rank: Rank):
    """256 + 1 is 256 in bfloat16, so that a sum of 1s by a ring stops there."""
    rank.join()
    one, large = 0x3F80, 0x4380
    mine = np.full(4, large if rank.number == 0 else one, np.uint16)
    result = np.zeros_like(mine)
    rank.ok(rank.call("ncclAllReduce", mine, result, 4, "bfloat16", "sum"))
    rank.ok(rank.synchronize())
    rank.ok(rank.lib.ncclCommDestroy(rank.comm))
    return (result.astype(np.uint32) << 16).view(np.float32).tolist()


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_reductions_give_what_numpy_gives(size):
    succeed("reductions", size)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_copies_put_each_block_in_its_place(size):
    succeed("copies", size)


@pytest.mark.parametrize("size", [1, 3])
def test_messages_of_a_group_arrive_in_all_directions_at_once(size):
    succeed("messages", size, environment={"FAKE_NCCL_DELAY_US": "300", "FAKE_NCCL_SEED": "3"})


def test_sums_of_halves_are_rounded_at_each_hop_and_overflow():
    for naive, scaled in succeed("half_sums", 3):
        assert np.isinf(naive).all()
        np.testing.assert_allclose(scaled.astype(np.float64), 40000, rtol=2e-3)


def test_sums_of_bfloat16_are_rounded_at_each_hop():
    # Part c begins at rank c + 1. Rank 0's 256 comes last in part 0 and third in part 1: 259, a tie that goes to 260.
    # In parts 2 and 3 it comes early, and 256 + 1 is a tie that goes to 256, again and again.
    for values in succeed("bfloat_sums", 4):
        assert values == [260.0, 260.0, 256.0, 256.0]
