"""The communicator of a process that is alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from renga_core.communicator import CommunicatorBase
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry
from renga_testing.suites import CommunicatorSuite

ARRAYS = arrays(np.float32, array_shapes(min_dims=0, max_dims=3, min_side=0), elements=st.floats(-1, 1, width=32))


class TestSingle(CommunicatorSuite):
    provider = "distributed:single"


@pytest.fixture(scope="module")
def communicator():
    return registry(COMMUNICATOR).load("single")()


def test_ranks(communicator) -> None:
    assert isinstance(communicator, CommunicatorBase)
    assert (communicator.rank, communicator.intra_rank, communicator.inter_rank) == (0, 0, 0)
    assert (communicator.size, communicator.intra_size, communicator.inter_size) == (1, 1, 1)
    part = communicator.split(3, 5)
    assert (part.rank, part.size) == (0, 1)


@given(ARRAYS)
def test_collectives_give_back_copies(communicator, x) -> None:
    x = x.T  # not contiguous where it has two dimensions or more
    communicator.send(x, 0, 7)
    results = [
        communicator.bcast(x),
        *communicator.gather(x),
        *communicator.allgather(x),
        *communicator.alltoall([x]),
        communicator.scatter([x]),
        communicator.allreduce(x),
        communicator.recv(0, 7),
        *communicator.mean([x]),
        *communicator.imean([x]).wait(),
    ]
    for result in results:
        np.testing.assert_array_equal(result, x)
        assert (result.shape, result.dtype) == (x.shape, x.dtype)
        assert not np.shares_memory(result, x)


def test_objects(communicator) -> None:
    thing = {"a": [1]}
    assert communicator.bcast_obj(thing) == thing
    assert communicator.gather_obj(thing) == [thing]
    assert communicator.allgather_obj(thing) == [thing]
    assert communicator.allreduce_obj(5) == 5
    communicator.barrier()
    communicator.agree("this", thing)


def test_a_tuple_of_arrays_is_copied(communicator) -> None:
    x, y = np.ones(2), np.zeros(3, np.int32)
    communicator.send((x, y), 0, 3)
    x += 1
    found = communicator.recv(0, 3)
    assert isinstance(found, tuple)
    np.testing.assert_array_equal(found[0], [1, 1])
    np.testing.assert_array_equal(found[1], y)


def test_a_mean_of_one_loses_nothing_in_16_bits() -> None:
    communicator = registry(COMMUNICATOR).load("single")()
    communicator.set_config("allreduce_grad_dtype", "float16")
    x = np.array([1 / 3, 1e-30, 1e30])
    np.testing.assert_array_equal(communicator.mean([x])[0], x)


def test_messages_to_itself_keep_their_order_by_tag(communicator) -> None:
    for number in range(3):
        communicator.send_obj(number, 0, 1)
    communicator.send_obj("other", 0, 2)
    assert communicator.recv_obj(0, 2) == "other"
    assert [communicator.recv_obj(0, 1) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match="nothing was sent with tag 1, and there is no other process"):
        communicator.recv_obj(0, 1)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda c, x: c.bcast(x, root=1), "root is 1; a single process has rank 0 only"),
        (lambda c, x: c.gather(x, 1), "root is 1"),
        (lambda c, x: c.scatter([x], 2), "root is 2"),
        (lambda c, x: c.bcast_obj(x, root=-1), "root is -1"),
        (lambda c, x: c.gather_obj(x, 1), "root is 1"),
        (lambda c, x: c.send(x, 1, 0), "dest is 1"),
        (lambda c, x: c.recv(1, 0), "source is 1"),
        (lambda c, x: c.scatter([x, x]), "2 arrays were given for 1 process; one for each is needed"),
        (lambda c, x: c.alltoall([]), "0 arrays were given for 1 process"),
    ],
)
def test_wrong_calls(communicator, call, told) -> None:
    with pytest.raises(ValueError, match=told):
        call(communicator, np.zeros(2))
