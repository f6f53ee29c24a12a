"""Communicators that are each wrong in one way: `breaks` names the test of the kit that must notice.

They are ranks in threads of one process; `launch` runs a program on each.
"""

import copy
import queue
import threading
import time
from contextlib import suppress
from functools import reduce
from operator import add

from renga_core.communicator import CommunicatorBase


class World:
    """What the ranks of a group share."""

    def __init__(self, size):
        self.barrier = threading.Barrier(size)
        self.slots = [None] * size
        self.mail = {}
        self.groups = {}
        self.lock = threading.Lock()

    def box(self, *key):
        with self.lock:
            return self.mail.setdefault(key, queue.Queue())


class Right(CommunicatorBase):
    """All is built on an exchange of everybody's objects: the rest of this file derives from it."""

    inter_rank, inter_size = 0, 1

    def __init__(self, world=None, rank=0, size=1) -> None:
        self.world = world or World(size)
        self._rank, self._size = rank, size

    rank = property(lambda self: self._rank)
    size = property(lambda self: self._size)
    intra_rank = property(lambda self: self._rank)
    intra_size = property(lambda self: self._size)

    def exchange(self, obj):
        self.world.slots[self.rank] = copy.deepcopy(obj)
        self.world.barrier.wait(10)
        found = copy.deepcopy(self.world.slots)
        with suppress(threading.BrokenBarrierError):  # a rank that had all it wanted has failed since
            self.world.barrier.wait(10)
        return found

    def split(self, color, key):
        places = self.exchange((color, key))
        members = sorted((k, rank) for rank, (c, k) in enumerate(places) if c == color)
        with self.world.lock:
            world = self.world.groups.setdefault((color, len(members)), World(len(members)))
        return type(self)(world, [rank for _, rank in members].index(self.rank), len(members))

    def send(self, data, dest, tag):
        self.world.box(self.rank, dest, tag).put(copy.deepcopy(data))

    def recv(self, source, tag):
        return self.world.box(source, self.rank, tag).get(timeout=10)

    def bcast(self, data, max_buf_len=None, root=0):
        return self.exchange(data)[root]

    def gather(self, data, root=0):
        found = self.exchange(data)
        return tuple(found) if self.rank == root else None

    def allgather(self, x):
        return tuple(self.exchange(x))

    def alltoall(self, xs):
        return tuple(given[self.rank] for given in self.exchange(self.counted(xs)))

    def scatter(self, xs, root=0):
        return self.exchange(self.counted(xs))[root][self.rank]

    def allreduce(self, data):
        found = self.exchange(data)
        if len({(x.shape, str(x.dtype)) for x in found}) > 1:
            raise ValueError("shapes differ")
        return reduce(add, found)

    send_obj, recv_obj, bcast_obj = send, recv, bcast

    def gather_obj(self, obj, root=0):
        found = self.gather(obj, root)
        return None if found is None else list(found)

    def allreduce_obj(self, obj):
        return reduce(add, self.exchange(obj))

    def counted(self, xs):
        if len(xs) != self.size:
            raise ValueError("one for each rank")
        return xs


def launch(self, program, size, device):
    """Run a program on each of so many threads."""
    world, errors = World(size), [None] * size

    def work(rank):
        try:
            program(self.target(world, rank, size), device)
        except BaseException as error:
            errors[rank] = error
            time.sleep(0.3)  # let the others find what they can find
            world.barrier.abort()  # nobody waits for a rank that has failed

    threads = [threading.Thread(target=work, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return errors


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    declares = {"ranks"}
    breaks = ""


class NoCommunicator:
    """it is no communicator"""

    breaks = "test_is_a_communicator"


class RankOne(Right):
    """ranks begin with one"""

    breaks = "test_one_rank[topology]"
    rank = property(lambda self: self._rank + 1)
    intra_rank = rank


class Mean(Right):
    """allreduce gives the mean"""

    declares = {"ranks"}
    breaks = "test_ranks[allreduce]"

    def allreduce(self, data):
        return (super().allreduce(data) / self.size).astype(data.dtype)


class FirstIsRoot(Right):
    """bcast sends the array of rank 0, whatever the root"""

    declares = {"ranks"}
    breaks = "test_ranks[bcast]"

    def bcast(self, data, max_buf_len=None, root=0):
        return self.exchange(data)[0]


class GathersEverywhere(Right):
    """gather returns arrays on every rank"""

    declares = {"ranks"}
    breaks = "test_ranks[gather]"

    def gather(self, data, root=0):
        return tuple(self.exchange(data))


class Reversed(Right):
    """allgather returns the arrays in the wrong order"""

    declares = {"ranks"}
    breaks = "test_ranks[allgather]"

    def allgather(self, x):
        return tuple(self.exchange(x))[::-1]


class Untransposed(Right):
    """alltoall gives each rank its own arrays"""

    declares = {"ranks"}
    breaks = "test_ranks[alltoall]"

    def alltoall(self, xs):
        return tuple(self.exchange(self.counted(xs))[self.rank])


class ScattersOwn(Right):
    """scatter gives each rank an array of its own list"""

    declares = {"ranks"}
    breaks = "test_ranks[scatter]"

    def scatter(self, xs, root=0):
        return self.exchange(self.counted(xs))[self.rank][self.rank]


class Flattens(Right):
    """arrays arrive flat"""

    breaks = "test_one_rank[send_and_recv]"

    def recv(self, source, tag):
        return super().recv(source, tag).reshape(-1)


class Tagless(Right):
    """objects are added up in the wrong order"""

    declares = {"ranks"}
    breaks = "test_ranks[objects]"

    def allreduce_obj(self, obj):
        return reduce(add, self.exchange(obj)[::-1])


class Keyless(Right):
    """split takes no heed of the keys"""

    declares = {"ranks"}
    breaks = "test_ranks[split]"

    def split(self, color, key):
        return super().split(color, 0)


class Aliases(Right):
    """alone, allreduce returns what it was given"""

    breaks = "test_one_rank[own_memory]"

    def allreduce(self, data):
        return data


class Uncounted(Right):
    """alltoall takes any number of arrays"""

    breaks = "test_one_rank[wrong_count]"

    def alltoall(self, xs):
        return tuple(given[self.rank] for given in self.exchange(xs))


class NoFilling(Right):
    """multi_node_mean_grad does not fill in zeros"""

    breaks = "test_one_rank[models]"

    def multi_node_mean_grad(self, model, zero_fill=False):
        super().multi_node_mean_grad(model, False)


class OneRankKnows(Right):
    """of a wrong shape only one rank learns"""

    declares = {"ranks"}
    breaks = "test_wrong_shape"

    def allreduce(self, data):
        found = self.exchange(data)
        if self.rank == 0 and len({x.shape for x in found}) > 1:
            raise ValueError("shapes differ")
        return found[0]


class Careless(Right):
    """when a rank has failed, the others go on as if nothing were"""

    declares = {"ranks"}
    breaks = "test_failing_rank"

    def exchange(self, obj):
        try:
            return super().exchange(obj)
        except threading.BrokenBarrierError:
            return [obj] * self.size
