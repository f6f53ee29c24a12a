"""What communicators refuse before they send anything."""

import numpy as np
import pytest

from renga_comm_base.arguments import check_arrays, check_sum
from renga_distributed.single import SingleCommunicator
from renga_distributed.threads import ThreadsCommunicator, launch

MAKERS = (SingleCommunicator, ThreadsCommunicator)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("method", "arguments", "told"),
    [
        ("allreduce", ([1, 2, 3],), "allreduce takes an array, not a list; use numpy.asarray.* allreduce_obj$"),
        ("bcast", ("text",), "bcast takes an array, not a str; .* bcast_obj$"),
        ("bcast", (None,), "not None;"),
        ("gather", (1.5,), "not a float; .* gather_obj$"),
        ("allgather", (3,), "not an int; .* allgather_obj$"),
        ("send", ({"a": 1}, 0, 0), "not a dict; .* send_obj$"),
        ("send", ((np.ones(1), "text"), 0, 0), "not a str;"),
        ("send", ([1, 2], 0, 0), "not an int;"),
        ("alltoall", ([[1]],), "alltoall takes arrays, not a list; use numpy.asarray$"),
        ("scatter", ([2],), "scatter takes arrays, not an int"),
        ("reduce_scatter", ([1.0],), "reduce_scatter takes arrays, not a list"),
        ("mean", ([1.0],), "mean takes arrays, not a float"),
        ("imean", ([[1.0]],), "imean takes arrays, not a list"),
    ],
)
def test_no_array(make, method, arguments, told) -> None:
    with pytest.raises(TypeError, match=told):
        getattr(make(), method)(*arguments)


@pytest.mark.parametrize("make", MAKERS)
def test_scalars_of_numpy_are_arrays(make) -> None:
    for method in ("allreduce", "bcast"):
        assert getattr(make(), method)(np.float32(3)) == 3
    assert make().allgather(np.int8(3)) == (3,)


@pytest.mark.parametrize("values", [["a", "b"], [b"a"], [None], [{}], np.zeros(2, "M8[s]"), np.zeros(1, "i4,f4")])
@pytest.mark.parametrize("make", MAKERS)
def test_no_sum(make, values) -> None:
    with pytest.raises(TypeError, match="allreduce sums numbers, and arrays of"):
        make().allreduce(np.asarray(values))


def test_ranks_hear_together_of_what_has_no_sum() -> None:
    def program(comm):
        with pytest.raises(TypeError, match="sums numbers"):
            comm.allreduce(np.array(["text"]))
        return comm.allreduce(np.ones(1)).item()

    assert launch(program, 2) == [2, 2]


def test_what_is_a_list_arrives_as_a_tuple() -> None:
    for make in MAKERS:
        comm = make()
        comm.send([np.ones(1), np.zeros(2)], 0, 0)
        assert [x.shape for x in comm.recv(0, 0)] == [(1,), (2,)]


def test_numbers_of_any_dtype_have_a_sum() -> None:
    for dtype in ("?", "i1", "u8", "f2", "f8", "c8", "m8[s]"):
        check_sum("allreduce", np.dtype(dtype))
    check_sum("allreduce", "float32 of another library")
    check_arrays("alltoall")
