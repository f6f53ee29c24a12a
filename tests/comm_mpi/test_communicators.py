"""What the kit cannot see: places, orders of sums, large and rare arrays, and messages of the program's own."""

import numpy as np
import pytest

pytest.importorskip("mpi4py")

EVERYWHERE = ("naive", "flat", "hierarchical", "two_dimensional", "non_cuda_aware")


def make(name, **options):
    from renga_core.kinds import COMMUNICATOR
    from renga_core.plugin import registry

    return registry(COMMUNICATOR).load(name)(**options)


def run(pool, function, *args, **options):
    answers = pool.run(function, *args, **options)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return answers


def noise(rank, length, dtype="float32"):
    """Numbers whose sum depends on the order in which they are added up."""
    rng = np.random.default_rng(rank)
    return (rng.standard_normal(length) * 10.0 ** rng.integers(-3, 4, length)).astype(dtype)


# --- places -----------------------------------------------------------------------------------------------------------


def place(name):
    comm = make(name)
    found = comm.intra_rank, comm.intra_size, comm.inter_rank, comm.inter_size
    part = comm.split(comm.rank % 2, 0)
    parts = part.intra_rank, part.intra_size, part.inter_rank, part.inter_size
    part.finalize()
    comm.finalize()
    return found, parts


@pytest.mark.parametrize(
    ("size", "ranks_per_node", "right"),
    [
        (2, None, [((0, 2, 0, 1), (0, 1, 0, 1)), ((1, 2, 0, 1), (0, 1, 0, 1))]),
        (3, 2, [((0, 2, 0, 2), (0, 1, 0, 2)), ((1, 2, 0, 2), (0, 1, 0, 1)), ((0, 1, 1, 2), (0, 1, 1, 2))]),
        (
            4,
            2,
            [
                ((0, 2, 0, 2), (0, 1, 0, 2)),
                ((1, 2, 0, 2), (0, 1, 0, 2)),
                ((0, 2, 1, 2), (0, 1, 1, 2)),
                ((1, 2, 1, 2), (0, 1, 1, 2)),
            ],
        ),
    ],
)
def test_places(rank_pool, size, ranks_per_node, right):
    assert run(rank_pool(size, ranks_per_node), place, "two_dimensional") == right


def test_single_node_on_several(rank_pool):
    errors = rank_pool(4, 2).run(place, "single_node")
    assert [type(error) for error in errors] == [ValueError] * 4
    assert "2 machines" in str(errors[0])


# --- orders of bytes --------------------------------------------------------------------------------------------------


def sums_of_both_orders(name):
    """What two ranks get whose arrays are in another order of bytes each: what travels unchanged keeps its own."""
    comm = make(name)
    x = (np.arange(4) + comm.rank).astype("<f4" if comm.rank else ">f4")
    found = [comm.allreduce(x), *comm.mean([x]), comm.reduce_scatter(x)]
    comm.finalize()
    return [(y.dtype.isnative, y.dtype.name, y.tolist()) for y in found]


@pytest.mark.parametrize("name", EVERYWHERE)
def test_sums_of_arrays_of_either_order_of_bytes(rank_pool, name):
    total, mean = [1.0, 3.0, 5.0, 7.0], [0.5, 1.5, 2.5, 3.5]
    answers = run(rank_pool(2), sums_of_both_orders, name)
    for answer, part in zip(answers, (total[:2], total[2:]), strict=True):
        assert answer == [(True, "float32", values) for values in (total, mean, part)]


# --- sums -------------------------------------------------------------------------------------------------------------


def sums(name, length, dtype):
    comm = make(name)
    x = noise(comm.rank, length, dtype)
    total, mean, part = comm.allreduce(x), comm.mean([x])[0], comm.reduce_scatter(x)
    begin, end = comm.share(length)
    np.testing.assert_array_equal(part, total[begin:end])
    np.testing.assert_array_equal(mean, total / np.dtype(dtype).type(comm.size))
    np.testing.assert_array_equal(comm.mean([x[1::3]])[0], mean[1::3])  # whatever the position
    comm.finalize()
    return total


def right_sum(nodes, length, dtype):
    """In the order of ranks inside each machine, then in that of machines."""
    arrays = iter(noise(rank, length, dtype) for rank in range(sum(nodes)))
    return sum_in_order([sum_in_order([next(arrays) for _ in range(count)]) for count in nodes])


def sum_in_order(arrays):
    total = arrays[0].copy()
    for one in arrays[1:]:
        total += one
    return total


@pytest.mark.parametrize("length", [0, 1, 1000, 20_001, 1_300_003])  # of all ways to exchange, and more than a chunk
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", EVERYWHERE[:4])
def test_sums_are_in_the_order_of_ranks(rank_pool, name, dtype, length):
    nodes = [1, 1, 1] if name in ("naive", "flat") else [2, 1]
    right = right_sum(nodes, length, dtype)
    for total in run(rank_pool(3, 2), sums, name, length, dtype):
        np.testing.assert_array_equal(total, right)


@pytest.mark.parametrize("name", ["hierarchical", "two_dimensional"])
def test_sums_on_two_machines_of_two(rank_pool, name):
    for total in run(rank_pool(4, 2), sums, name, 1_300_003, "float32"):
        np.testing.assert_array_equal(total, right_sum([2, 2], 1_300_003, "float32"))


def test_sums_on_a_single_machine(rank_pool):
    for total in run(rank_pool(4), sums, "single_node", 1_300_003, "float32"):
        np.testing.assert_array_equal(total, right_sum([4], 1_300_003, "float32"))


def no_shared_memory(name):
    from renga_comm_mpi import node_sum

    try:
        node_sum.share_memory, before = lambda calls, size: None, node_sum.share_memory
        return sums(name, 20_001, "float32")
    finally:
        node_sum.share_memory = before


def test_ranks_that_cannot_share_memory(rank_pool):
    for total in run(rank_pool(3, 2), no_shared_memory, "hierarchical"):
        np.testing.assert_array_equal(total, right_sum([1, 1, 1], 20_001, "float32"))


def gradients(name, dtype):
    """The same gradients one by one, in buckets, all at once, and in the background."""
    comm = make(name)
    arrays = [noise(10 * i + comm.rank, length) for i, length in enumerate((3, 1000, 7, 60_000, 1, 300_000))]
    comm.set_config("allreduce_grad_dtype", dtype)
    alone = [comm.mean([one])[0] for one in arrays]
    together = comm.mean(arrays)
    background = [comm.imean(arrays[:3]), comm.imean(arrays[3:])]
    late = [one for request in background for one in request.wait()]
    comm.finalize()
    return alone, together, late


@pytest.mark.parametrize("name", EVERYWHERE[:4])
def test_means_do_not_depend_on_buckets(rank_pool, name):
    for alone, together, late in run(rank_pool(3, 2), gradients, name, None):
        for one, other, third in zip(alone, together, late, strict=True):
            np.testing.assert_array_equal(one, other)
            np.testing.assert_array_equal(one, third)


def half_mean(name, wire, length, scale):
    comm = make(name)
    comm.set_config("allreduce_grad_dtype", wire)
    mean = comm.mean([noise(comm.rank, length) * np.float32(scale)])[0]
    comm.finalize()
    return mean


def means_of_given_up(name, wire):
    comm = make(name)
    comm.set_config("allreduce_grad_dtype", wire)
    differ = []
    for lengths in ([300_001], [1], [7, 40_000, 3], [0, 5], []):
        arrays = [noise(10 * comm.rank + i, length) for i, length in enumerate(lengths)]
        kept = [array.copy() for array in arrays]
        right = [mean.tobytes() for mean in comm.mean(arrays)]
        if [array.tobytes() for array in arrays] != [array.tobytes() for array in kept]:
            differ.append(("given", lengths))
        if [mean.tobytes() for mean in comm.mean_of_donated(arrays)] != right:
            differ.append(("result", lengths))
    comm.finalize()
    return differ


@pytest.mark.parametrize("wire", [None, "bfloat16"])
@pytest.mark.parametrize("name", EVERYWHERE[:4])
def test_means_of_what_is_given_up(rank_pool, name, wire):
    assert run(rank_pool(3), means_of_given_up, name, wire) == [[], [], []]
    assert run(rank_pool(4, ranks_per_node=2), means_of_given_up, name, wire) == [[]] * 4


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1.0, 1e6, 1e30])
@pytest.mark.parametrize("wire", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["naive", "hierarchical", "two_dimensional"])
def test_half_means(rank_pool, name, wire, scale):
    given = [noise(rank, 30_001).astype(np.float64) * np.float32(scale) for rank in range(3)]
    right, magnitude = np.mean(given, axis=0), np.mean(np.abs(given), axis=0)
    error = {"float16": 2.0**-11, "bfloat16": 2.0**-8}[wire]
    means = run(rank_pool(3, 2), half_mean, name, wire, 30_001, scale)
    bound = 2.1 * error * magnitude + np.abs(given).max() * 2.0**-36
    assert (np.abs(means[0] - right) <= bound).all()
    assert (np.abs(means[0] - right) > 1e-6 * magnitude).any(), "nothing was rounded: it travelled in 32 bits"
    for other in means[1:]:
        np.testing.assert_array_equal(other, means[0])


# --- arrays -----------------------------------------------------------------------------------------------------------

DTYPES = ["?", "i1", "u8", "<f2", "f4", ">f8", "g", "c8", ">c16", "M8[s]", "S5", [("x", "i4"), ("y", ">f8", 3)]]


def carry(dtype):
    comm = make("naive")
    base = (np.arange(240, dtype=np.uint8) + comm.rank).tobytes()
    dtype = np.dtype([tuple(field) for field in dtype] if isinstance(dtype, list) else dtype)
    x = np.frombuffer(base[: 240 // dtype.itemsize * dtype.itemsize], dtype)[::2]
    there, here = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    found = [comm.bcast(x, root=1), *comm.allgather(x), comm.scatter([x] * comm.size), *comm.alltoall([x] * comm.size)]
    if comm.rank == 0:
        comm.send((x, x[:1].reshape(())), there, 3)
    two = comm.recv(here, 3)
    if comm.rank != 0:
        comm.send((x, x[:1].reshape(())), there, 3)
    comm.finalize()
    return [(one.dtype, one.shape, one.tobytes()) for one in (*found, *two)], x.tobytes(), x[:1].tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_travels(rank_pool, dtype):
    answers = run(rank_pool(2), carry, dtype)
    for rank, (found, own, _) in enumerate(answers):
        other, first = answers[1 - rank][1:]
        both = [answers[0][1], answers[1][1]]
        right = [answers[1][1], *both, answers[0][1], *both, other, first]
        assert [data for *_, data in found] == right
        assert all(
            kind == np.dtype([tuple(f) for f in dtype] if isinstance(dtype, list) else dtype) for kind, *_ in found
        )
        assert found[0][1] == (len(own) // np.dtype(found[0][0]).itemsize,)


def refuse_objects():
    comm = make("naive")
    for array in (np.array([None]), np.array(["text"])):
        with pytest.raises(TypeError, match="allreduce_obj"):
            comm.allreduce(array)
    with pytest.raises(TypeError, match="bcast_obj"):
        comm.allgather(np.array([None]))
    comm.barrier()
    comm.finalize()


def refuse_what_is_no_array():
    comm = make("naive")
    for call in (
        lambda: comm.allreduce([1, 2, 3]),
        lambda: comm.allgather(3),
        lambda: comm.gather("text"),
        lambda: comm.alltoall([[1], [2]]),
        lambda: comm.send(3, 1 - comm.rank, 0),
        lambda: comm.mean([[1.0]]),
        lambda: comm.reduce_scatter([1.0]),
    ):
        with pytest.raises(TypeError, match=r"takes (an array|arrays), not an? "):
            call()
    if comm.rank == 0:  # nothing was agreed or sent: the other rank need not have called it
        with pytest.raises(TypeError, match=r"bcast takes an array, not None; .* bcast_obj"):
            comm.bcast(None)
    assert comm.allreduce(np.float32(3)) == 6
    comm.finalize()


def test_what_is_no_array_is_refused(rank_pool):
    run(rank_pool(2), refuse_what_is_no_array)


def test_arrays_of_objects_are_refused(rank_pool):
    run(rank_pool(2), refuse_objects)


def refuse_integers(name):
    comm = make(name)
    with pytest.raises(TypeError, match="not int64, uint8"):
        comm.mean([np.ones(3), np.arange(100_000), np.ones(2, np.uint8)])
    return comm.allreduce_obj(1)


def test_means_of_integers_are_refused_on_every_rank(rank_pool):
    """Also by those of which only one on each machine would find out while it divides."""
    assert run(rank_pool(4, 2), refuse_integers, "hierarchical") == [4] * 4


def refuse_limits():
    comm = make("naive")
    for limit in 0, -1:
        for call in (lambda limit: comm.bcast(np.ones(3), limit), lambda limit: comm.bcast_obj("text", limit)):
            with pytest.raises(ValueError, match=f"1 or more, not {limit}"):
                call(limit)


def test_messages_of_no_bytes_are_refused(rank_pool):
    run(rank_pool(2), refuse_limits)


def large(pieces):
    from renga_comm_mpi import calls

    calls.PIECE, before = pieces or calls.PIECE, calls.PIECE
    comm = make("flat")
    length = 10_000 if pieces else 2**31 + 5
    if comm.rank == 0:
        x = np.zeros(length, np.int8)
        x[-3:] = 7
        comm.send(x, 1, 0)
    else:
        x = comm.recv(0, 0)
    ends = len(x), x[-4:].tolist()
    if pieces:
        total = comm.allreduce(x)
        ends = len(total), (total[-4:] // comm.size).tolist()
        assert comm.bcast(x, max_buf_len=17, root=1)[-1] == 7
        assert comm.bcast_obj("x" * 1000, max_buf_len=17) == "x" * 1000
    comm.finalize()
    calls.PIECE = before
    return ends


def test_messages_in_pieces(rank_pool):
    assert run(rank_pool(2), large, 999) == [(10_000, [0, 7, 7, 7])] * 2


@pytest.mark.slow
def test_more_than_two_gib(rank_pool):
    assert run(rank_pool(2), large, None, timeout=250) == [(2**31 + 5, [0, 7, 7, 7])] * 2


# --- the rest ---------------------------------------------------------------------------------------------------------


def mix():
    """Communicators side by side, beside messages of the program's own."""
    from mpi4py import MPI

    one, two = make("naive"), make("single_node", mpi_comm=MPI.COMM_WORLD)
    other = 1 - one.rank
    request = MPI.COMM_WORLD.isend("mine", other, tag=5)
    if one.rank == 0:
        one.send_obj("first", 1, 5)
        two.send_obj("second", 1, 5)
        got = None
    else:
        got = two.recv_obj(0, 5), one.recv_obj(0, 5)
    mine = MPI.COMM_WORLD.recv(source=other, tag=5)
    request.wait()
    one.finalize()
    two.finalize()
    return got, mine


def test_groups_do_not_mix(rank_pool):
    assert run(rank_pool(2), mix) == [(None, "mine"), (("second", "first"), "mine")]


def wrong_kind():
    comm = make("naive")
    if comm.rank == 0:
        comm.send_obj(0, 1, 2)
    else:
        with pytest.raises(TypeError, match=r"receive it by recv_obj$"):
            comm.recv(0, 2)
    with pytest.raises(ValueError, match="ranks go from 0 to 1"):
        comm.send_obj(0, 2, 0)
    with pytest.raises(RuntimeError, match="with tag 9, but has sent none"):
        comm.recv(comm.rank, 9)
    comm.finalize()


def test_what_cannot_be_received(rank_pool):
    run(rank_pool(2), wrong_kind)


def agreement():
    from renga_core.communicator import MismatchError

    comm = make("naive")
    comm.agree("a set", {1, 2, 3})  # that its repr may differ does not matter
    with pytest.raises(MismatchError) as caught:
        comm.agree("x", comm.rank)
    comm.agree("x", 1)
    comm.finalize()
    return str(caught.value)


def test_agreement(rank_pool):
    assert "rank 1: x 1" in run(rank_pool(2), agreement)[0]


def patience():
    """Waiting in the background takes no processor time."""
    import time

    comm = make("single_node")
    duplicate = comm.duplicate()
    if comm.rank == 0:
        time.sleep(0.5)
    before = time.process_time()
    duplicate.barrier()
    used = time.process_time() - before
    comm.barrier()
    duplicate.finalize()
    comm.finalize()
    return used


def test_patience(rank_pool):
    assert run(rank_pool(2), patience)[1] < 0.25
