"""Ranks that are threads: the kit of communicators, and what is theirs alone."""

import threading
import time
from contextlib import suppress

import numpy as np
import pytest

from renga_core.communicator import MismatchError, RankFailed
from renga_core.configuration import config, using_config
from renga_distributed.threads import ThreadsCommunicator, launch
from renga_testing.suites import CommunicatorSuite


class TestThreads(CommunicatorSuite):
    provider = "distributed:threads"
    sizes = (2, 3, 4, 5, 8)

    def launch(self, program, size, device):
        errors = [None] * size

        def work(communicator):
            try:
                program(communicator, device)
            except Exception as error:
                errors[communicator.rank] = error
                raise

        with suppress(Exception):
            launch(work, size, ranks_per_node=2)
        return errors


def caught(program, size, *args):
    """What each rank raised."""
    errors = [None] * size

    def work(communicator):
        try:
            program(communicator, *args)
        except Exception as error:
            errors[communicator.rank] = error
            raise

    with suppress(Exception):
        launch(work, size)
    return errors


def test_results_come_in_the_order_of_ranks() -> None:
    def program(communicator, a, b):
        time.sleep(0.02 * (3 - communicator.rank))
        return communicator.rank, a, b

    assert launch(program, 3, "x", [1]) == [(0, "x", [1]), (1, "x", [1]), (2, "x", [1])]


def test_each_rank_finds_its_group_by_itself() -> None:
    def program(communicator):
        mine = ThreadsCommunicator()
        assert (mine.rank, mine.size) == (communicator.rank, communicator.size)
        return mine.allreduce_obj(1)

    assert launch(program, 3) == [3, 3, 3]
    alone = ThreadsCommunicator()
    assert (alone.rank, alone.size, alone.allreduce_obj(5)) == (0, 1, 5)


def test_a_launch_in_a_launch() -> None:
    def inner(communicator, outer):
        return 10 * outer + communicator.rank

    assert launch(lambda comm: launch(inner, 2, comm.rank), 2) == [[0, 1], [10, 11]]


@pytest.mark.parametrize(
    ("ranks_per_node", "places"),
    [
        (None, [(0, 5, 0, 1), (1, 5, 0, 1), (2, 5, 0, 1), (3, 5, 0, 1), (4, 5, 0, 1)]),
        (2, [(0, 2, 0, 3), (1, 2, 0, 3), (0, 2, 1, 3), (1, 2, 1, 3), (0, 1, 2, 3)]),
        (1, [(0, 1, 0, 5), (0, 1, 1, 5), (0, 1, 2, 5), (0, 1, 3, 5), (0, 1, 4, 5)]),
    ],
)
def test_nodes(ranks_per_node, places) -> None:
    def program(comm):
        return comm.intra_rank, comm.intra_size, comm.inter_rank, comm.inter_size

    assert launch(program, 5, ranks_per_node=ranks_per_node) == places


def test_nodes_of_a_group() -> None:
    def program(comm):
        group = comm.split(comm.rank % 2, -comm.rank)  # 2, 0 and 3, 1, of which 0, 1 are on one node
        return group.intra_rank, group.intra_size, group.inter_rank, group.inter_size

    assert launch(program, 4, ranks_per_node=2) == [(0, 1, 1, 2), (0, 1, 1, 2), (0, 1, 0, 2), (0, 1, 0, 2)]


@pytest.mark.parametrize(
    "wait",
    [
        lambda comm: comm.barrier(),
        lambda comm: comm.recv(2, 0),
        lambda comm: comm.split(0, 0),
        lambda comm: comm.imean([np.ones(2)]).wait(),
        lambda comm: comm.split(0 if comm.rank < 2 else 1, 0).recv((comm.rank + 1) % 2, 0),  # of a group without it
    ],
)
def test_when_a_rank_fails_the_others_know_why(wait) -> None:
    def program(comm):
        if comm.rank == 2:
            raise KeyError("lost")
        wait(comm)

    start = time.monotonic()
    errors = caught(program, 3)
    assert time.monotonic() - start < 5
    assert isinstance(errors[2], KeyError)
    for error in errors[:2]:
        assert isinstance(error, RankFailed)
        assert str(error).startswith("rank 2 failed (KeyError: 'lost'); this rank was waiting in ")


def test_launch_raises_what_the_failing_rank_raised() -> None:
    def program(comm):
        if comm.rank == 1:
            raise KeyError("lost")
        comm.barrier()

    with pytest.raises(KeyError, match="lost") as caught:
        launch(program, 3)
    assert caught.value.__notes__ == ["Raised on rank 1 of 3."]


def test_a_rank_that_has_finished_comes_no_more() -> None:
    errors = caught(lambda comm: None if comm.rank == 1 else comm.barrier(), 3)
    for rank in (0, 2):
        assert isinstance(errors[rank], RankFailed)
    assert str(errors[0]) == "rank 1 has ended its program and cannot take part in barrier"


def test_nor_do_messages_of_a_rank_that_has_finished() -> None:
    errors = caught(lambda comm: None if comm.rank == 1 else comm.recv(1, 5), 3)
    for rank in (0, 2):
        assert isinstance(errors[rank], RankFailed)
    assert str(errors[0]) == "rank 1 has ended its program and cannot take part in recv from 1 with tag 5"


def test_who_was_told_and_tries_again_is_told_again() -> None:
    """And not that two of its threads are in one collective."""

    def program(communicator):
        if communicator.rank == 0:
            return
        for _ in range(2):
            with pytest.raises(RankFailed, match="rank 0 has ended its program"):
                communicator.barrier()

    launch(program, 2)


def test_what_all_gather_is_each_ranks_own() -> None:
    def program(communicator):
        found = communicator.allgather(np.zeros(2))
        found[0][:] = communicator.rank
        communicator.barrier()
        return found[0].tolist()

    assert launch(program, 3) == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]


def test_what_a_finished_rank_has_sent_arrives() -> None:
    def program(comm):
        if comm.rank == 0:
            comm.send(np.ones(2), 1, 0)
            return None
        time.sleep(0.05)
        return comm.recv(0, 0).tolist()

    assert launch(program, 2) == [None, [1, 1]]


def test_where_all_wait_for_each_other_all_are_told() -> None:
    def program(comm):
        if comm.rank == 0:
            comm.recv(1, 7)
        elif comm.rank == 1:
            comm.barrier()

    errors = caught(program, 3)
    assert errors[2] is None
    told = "all ranks wait for others (rank 0 in recv from 1 with tag 7, rank 1 in barrier)"
    # Rank 1 may have learned first that rank 2 does not come to its barrier.
    assert str(errors[0]).startswith((told, "rank 1 failed (RankFailed: rank 2 has ended its program"))

    errors = caught(lambda comm: comm.recv(1 - comm.rank, 0), 2)
    told = "all ranks wait for others (rank 0 in recv from 1 with tag 0, rank 1 in recv from 0 with tag 0)"
    assert [str(error).partition(";")[0] for error in errors] == [told, told]


def test_alone_nothing_can_be_waited_for() -> None:
    with pytest.raises(RankFailed, match="all ranks wait for others"):
        ThreadsCommunicator().recv(0, 0)


def test_two_threads_of_a_rank_need_two_groups() -> None:
    def program(comm):
        if comm.rank == 1:
            time.sleep(0.2)
            return comm.allreduce_obj(1)
        other = threading.Thread(target=comm.allreduce_obj, args=(1,))
        other.start()
        time.sleep(0.05)
        with pytest.raises(RuntimeError, match="two threads of rank 0 are in collectives of one group at once"):
            comm.barrier()
        other.join()
        return 2

    assert launch(program, 2) == [2, 2]


def test_objects_are_pickled_on_their_way() -> None:
    def program(comm):
        with pytest.raises(Exception, match="pickle"):
            comm.send_obj(lambda: None, 0, 0)
        mine = [1]
        found = comm.bcast_obj(mine)
        assert found == mine
        assert found is not mine

    launch(program, 2)


def test_sums_are_made_in_the_order_of_ranks() -> None:
    values = np.float32([1e8, 1.0, -1e8, 1.0])

    def program(comm):
        return comm.allreduce(values[comm.rank : comm.rank + 1])[0]

    expected = ((values[0] + values[1]) + values[2]) + values[3]
    assert launch(program, 4) == [expected] * 4


def test_what_is_given_may_be_changed_at_once() -> None:
    def program(comm):
        x = np.full(1000, float(comm.rank))
        found = comm.allgather(x)
        x += 100
        sent = np.full(1000, float(comm.rank))
        comm.send(sent, (comm.rank + 1) % comm.size, 0)
        sent += 100
        received = comm.recv((comm.rank - 1) % comm.size, 0)
        return [float(one[-1]) for one in found], float(received[0])

    assert launch(program, 3) == [([0, 1, 2], 2), ([0, 1, 2], 0), ([0, 1, 2], 1)]


def test_a_mismatch_in_the_background_is_raised_where_it_is_waited_for() -> None:
    def program(comm):
        request = comm.imean([np.ones(2 + comm.rank)])
        assert comm.allreduce_obj(1) == 2  # the group itself is not harmed
        with pytest.raises(MismatchError):
            request.wait()
        (again,) = comm.imean([np.full(2, float(comm.rank))]).wait()
        return again.tolist()

    assert launch(program, 2) == [[0.5, 0.5], [0.5, 0.5]]


def test_bcast_needs_an_array_on_the_root_only() -> None:
    def program(comm):
        return comm.bcast(np.arange(3) if comm.rank == 1 else None, root=1).tolist()

    assert launch(program, 2) == [[0, 1, 2], [0, 1, 2]]


def test_configuration_is_each_threads_own() -> None:
    def program(comm):
        before = config.train
        config.train = comm.rank == 0
        comm.barrier()
        return before, config.train

    with using_config("train", False):
        assert launch(program, 2) == [(True, True), (True, False)]


@pytest.mark.parametrize(("size", "ranks_per_node"), [(0, None), (-1, None), (2, 0)])
def test_sizes_that_cannot_be(size, ranks_per_node) -> None:
    with pytest.raises(ValueError, match="at least one is needed"):
        launch(print, size, ranks_per_node=ranks_per_node)


def test_means_that_nobody_waited_for_end_before_the_rank_does() -> None:
    requests = launch(lambda comm: comm.imean([np.full(3, float(comm.rank))]), 2)
    assert all(request.test() for request in requests)
    np.testing.assert_array_equal(requests[0].wait()[0], [0.5] * 3)


def test_a_copy_of_what_holds_a_communicator_shares_it() -> None:
    import copy

    communicator = ThreadsCommunicator()
    assert copy.deepcopy({"comm": communicator})["comm"] is communicator


def test_sums_of_the_other_byte_order():
    def work(communicator):
        total = communicator.allreduce(np.array([1.5, 2.0]).astype(np.dtype(float).newbyteorder()))
        assert total.tolist() == [3.0, 4.0]

    launch(work, 2)
