"""What the watchdog notes of calls that wait; what it says then is in test_failures."""

import threading

import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi import watchdog
from renga_comm_mpi.watchdog import NO_GROUP, Group, waiting

GROUP = Group("naive", (0, 1), (4, 7))


@pytest.fixture
def on(monkeypatch):
    monkeypatch.setattr(watchdog, "_timeout", 5.0)
    monkeypatch.setattr(watchdog, "_counts", {})
    monkeypatch.setattr(watchdog, "_blocking_calls", {})


def test_off_it_notes_nothing():
    with waiting("allreduce", GROUP):
        assert not watchdog._blocking_calls
    assert waiting("allreduce", GROUP) is waiting("bcast", GROUP), "one object, made once: it costs next to nothing"


def test_collectives_are_counted_and_calls_for_one_rank_are_not(on):
    for number in (1, 2):
        with waiting("allreduce", GROUP):
            (call,) = watchdog._blocking_calls.values()
            assert (call.what, call.number, call.peer) == ("allreduce", number, None)
    with waiting("recv", GROUP, peer=1):
        (call,) = watchdog._blocking_calls.values()
        assert (call.what, call.number, call.peer) == ("recv", 0, 7), "ranks are those of all processes"
    assert not watchdog._blocking_calls


def test_a_collective_made_of_others_is_one(on):
    with waiting("split", GROUP), waiting("allreduce", GROUP):
        assert [call.what for call in watchdog._blocking_calls.values()] == ["split"]
    with pytest.raises(KeyError), waiting("bcast", GROUP):
        raise KeyError
    assert not watchdog._blocking_calls
    assert watchdog._counts == {GROUP.number: 2}


def test_each_thread_waits_for_itself(on):
    inside, done = threading.Event(), threading.Event()

    def overlap():
        with waiting("mean", GROUP):
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=overlap)
    with waiting("bcast", GROUP):
        thread.start()
        assert inside.wait(10)
        assert sorted(call.what for call in watchdog._blocking_calls.values()) == ["bcast", "mean"]
        done.set()
        thread.join()


def test_alone_there_is_nobody_to_wait_for(on):
    with waiting("allreduce", NO_GROUP):
        assert not watchdog._blocking_calls


def groups_of_ranks():
    from mpi4py import MPI

    from renga_comm_mpi.watchdog import _channels, register

    world = MPI.COMM_WORLD
    first = register(world, "first", serves_program=True)
    part = world.Split(world.rank % 2, -world.rank)
    second, third = register(part, "second", serves_program=True), register(world, "third", serves_program=True)
    alone = register(MPI.COMM_SELF, "alone", serves_program=True)
    part.Free()
    covering = sum(set(channel.ranks) == set(range(world.size)) for channel in _channels)
    return first, second, third, alone, covering


def test_ranks_agree_on_their_groups(rank_pool):
    answers = rank_pool(4).run(groups_of_ranks)
    firsts, seconds, thirds, alones, covering = zip(*answers, strict=True)
    assert set(firsts) == {firsts[0]}
    assert firsts[0].ranks == (0, 1, 2, 3)
    assert len(set(thirds)) == 1
    assert firsts[0].number != thirds[0].number
    assert seconds[0] == seconds[2]
    assert seconds[1] == seconds[3]
    assert seconds[0].ranks == (2, 0)
    assert {seconds[0].number, seconds[1].number}.isdisjoint({firsts[0].number, thirds[0].number})
    assert seconds[0].number != seconds[1].number
    assert set(alones) == {NO_GROUP}
    assert set(covering) == {1}, "they share one line"
