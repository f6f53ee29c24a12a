"""Communicators that are each wrong in one way: `breaks` names the test of the kit that must notice.

They are ranks in threads of one process; `launch` runs a program on each.
"""

import time
from contextlib import suppress

import numpy as np

from renga_core.communicator import MismatchError, RankFailed
from renga_distributed.threads import ThreadsCommunicator as Right
from renga_distributed.threads import launch as launch_threads


def launch(self, program, size, device):
    """Run a program on each of so many threads."""
    errors = [None] * size

    def work(communicator):
        try:
            program(self.target(), device)
        except Exception as error:
            errors[communicator.rank] = error
            time.sleep(0.1)  # let the others find what they can find
            raise

    with suppress(Exception):
        launch_threads(work, size)
    return errors


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
    kit = {"sizes": (2, 3)}


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

    breaks = "test_ranks[allreduce]"

    def allreduce(self, data):
        return (super().allreduce(data) / self.size).astype(data.dtype)


class WrongFromFive(Right):
    """with five ranks or more, allreduce is wrong"""

    breaks = "test_ranks[allreduce]"
    kit = {"sizes": (5,)}
    at_least = 5

    def allreduce(self, data):
        total = super().allreduce(data)
        return total + total.dtype.type(1) if self.size >= self.at_least else total


class FlushesSmall(Right):
    """numbers below 1e-30 are lost in sums"""

    breaks = "test_ranks[allreduce]"

    def allreduce(self, data):
        total = super().allreduce(data)
        return np.where(np.abs(total) < 1e-30, 0, total).astype(total.dtype) if total.dtype.kind == "f" else total


class SwapsTheLast(Right):
    """of five ranks, gather mixes up the last two"""

    breaks = "test_ranks[gather]"
    kit = {"sizes": (5,)}
    at_least = 5

    def gather(self, data, root=0):
        found = super().gather(data, root)
        return found if found is None or self.size < self.at_least else (*found[:3], found[4], found[3])


class FirstIsRoot(Right):
    """bcast sends the array of rank 0, whatever the root"""

    breaks = "test_ranks[bcast]"

    def bcast(self, data, max_buf_len=None, root=0):
        return super().bcast(data)


class GathersEverywhere(Right):
    """gather returns arrays on every rank"""

    breaks = "test_ranks[gather]"

    def gather(self, data, root=0):
        return self.allgather(data)


class Reversed(Right):
    """allgather returns the arrays in the wrong order"""

    breaks = "test_ranks[allgather]"

    def allgather(self, x):
        return super().allgather(x)[::-1]


class Untransposed(Right):
    """alltoall gives each rank its own arrays"""

    breaks = "test_ranks[alltoall]"

    def alltoall(self, xs):
        super().alltoall(xs)
        return tuple(x.copy() for x in xs)


class ScattersOwn(Right):
    """scatter gives each rank an array of its own list"""

    breaks = "test_ranks[scatter]"

    def scatter(self, xs, root=0):
        super().scatter(xs, root)
        return xs[self.rank].copy()


class ThroughDoubles(Right):
    """sums are made in double precision, which has not all numbers of 64 bits"""

    breaks = "test_one_rank[every_dtype]"

    def allreduce(self, data):
        wide = data.astype(np.complex128 if data.dtype.kind == "c" else np.float64)
        return super().allreduce(wide).astype(data.dtype)


class FirstPiece(Right):
    """of what is sent in pieces, only the first arrives"""

    breaks = "test_one_rank[large]"

    def bcast(self, data, max_buf_len=None, root=0):
        found = super().bcast(data, root=root)
        if max_buf_len is not None:
            found[max_buf_len // found.itemsize :] = 0
        return found


class LastTakesTheRest(Right):
    """the last share has all elements that are left over"""

    breaks = "test_ranks[sharing]"

    def share(self, length, rank=None):
        rank = self.rank if rank is None else rank
        each = length // self.size
        return each * rank, length if rank == self.size - 1 else each * (rank + 1)


class Aliases(Right):
    """alone, allreduce returns what it was given"""

    breaks = "test_one_rank[own_memory]"

    def allreduce(self, data):
        return data


class Uncounted(Right):
    """alltoall takes any number of arrays"""

    breaks = "test_one_rank[wrong_count]"

    def alltoall(self, xs):
        return super().alltoall(xs[: self.size])


class CountsFromTheEnd(Right):
    """rank -1 is the last one"""

    breaks = "test_one_rank[wrong_root]"

    def send_obj(self, obj, dest, tag):
        super().send_obj(obj, dest % self.size, tag)


class Flattens(Right):
    """arrays arrive flat"""

    breaks = "test_one_rank[send_and_recv]"

    def recv(self, source, tag):
        return super().recv(source, tag).reshape(-1)


class Unwraps(Right):
    """a tuple of one array arrives as that array"""

    breaks = "test_one_rank[tuples]"

    def recv(self, source, tag):
        found = super().recv(source, tag)
        return found[0] if isinstance(found, tuple) and len(found) == 1 else found


class Tagless(Right):
    """messages arrive in their turn, whatever the tag"""

    breaks = "test_one_rank[tags]"

    def send(self, data, dest, tag):
        super().send(data, dest, 0)

    def recv(self, source, tag):
        return super().recv(source, 0)


class TagsOfEightBits(Right):
    """of a tag, eight bits travel"""

    breaks = "test_one_rank[tags]"

    def send_obj(self, obj, dest, tag=0):
        super().send_obj(obj, dest, tag % 256)

    def recv_obj(self, source, tag=0):
        return super().recv_obj(source, tag % 256)


class SortsObjects(Right):
    """objects are sorted before they are added up"""

    breaks = "test_ranks[objects]"

    def allreduce_obj(self, obj):
        total, *others = sorted(self.allgather_obj(obj), key=str)
        for other in others:
            total = total + other
        return total


class OneListForAll(Right):
    """ranks get the same objects, and not copies of their own"""

    breaks = "test_ranks[objects]"

    def allgather_obj(self, obj):
        return self._exchange("allgather_obj", None, obj)


class AddsBackwards(Right):
    """objects are added up in the wrong order"""

    breaks = "test_ranks[objects]"

    def allreduce_obj(self, obj):
        total, *others = self.allgather_obj(obj)[::-1]
        for other in others:
            total = total + other
        return total


class OpenBarrier(Right):
    """nobody waits at a barrier"""

    breaks = "test_ranks[barrier]"

    def barrier(self):
        pass


class Agreeable(Right):
    """all agree, always"""

    breaks = "test_ranks[agreement]"

    def agree(self, what, detail):
        pass


class Keyless(Right):
    """split takes no heed of the keys"""

    breaks = "test_ranks[split]"
    kit = {"sizes": (3,)}

    def split(self, color, key):
        return super().split(color, 0)


class AlwaysTheWorld(Right):
    """to split a group splits the one from which it came"""

    breaks = "test_ranks[split_of_split]"

    def split(self, color, key):
        part = super().split(color, key)
        if hasattr(self, "origin"):
            part._group, part._rank = self.origin
        part.origin = self._group, self._rank
        return part


class Hasty(Right):
    """finalize does not wait for what has begun"""

    breaks = "test_ranks[finalizing]"

    def mean(self, arrays):
        time.sleep(0.1)
        return super().mean(arrays)

    def finalize(self):
        pass


class Undivided(Right):
    """mean gives the sum"""

    breaks = "test_ranks[mean]"

    def mean_flat(self, flat):
        return self.allreduce(flat)


class BackwardInTheBackground(Right):
    """in the background, sums are made in another order"""

    breaks = "test_ranks[background]"
    kit = {"sizes": (3,)}

    def duplicate(self):
        return self.split(0, -self.rank)


class OrderByPlace(Right):
    """the order of a sum depends on where in its block an element stands, as in MPI's own ring"""

    breaks = "test_ranks[packing]"
    kit = {"sizes": (3,)}

    def allreduce(self, data):
        everybody = self.allgather(data.reshape(-1))
        total = np.empty_like(everybody[0])
        begin = 0
        for first, part in enumerate(np.array_split(total, self.size)):
            end = begin + len(part)
            total[begin:end] = sum(everybody[(first + i) % self.size][begin:end] for i in range(self.size))
            begin = end
        return total.reshape(data.shape)


class Overflows(Right):
    """sums in 16 bits are made in 16 bits"""

    breaks = "test_ranks[wires]"

    def mean_flat(self, flat):
        if self.get_config("allreduce_grad_dtype") != "float16":
            return super().mean_flat(flat)
        with np.errstate(over="ignore", invalid="ignore"):
            return (self.allreduce(flat.astype(np.float16)) / self.size).astype(flat.dtype)


class TakesAnySetting(Right):
    """any configuration can be set"""

    breaks = "test_one_rank[configuration]"

    def set_config(self, name, value=True):
        if name in self.default_config:
            super().set_config(name, value)


class OneConfiguration(Right):
    """what is set for one group is set for all"""

    breaks = "test_one_rank[configuration]"

    def set_config(self, name, value=True):
        super().set_config(name, value)
        type(self)._config = self.__dict__.pop("_config")


class NoFilling(Right):
    """multi_node_mean_grad does not fill in zeros"""

    breaks = "test_one_rank[models]"

    def multi_node_mean_grad(self, model, zero_fill=False):
        super().multi_node_mean_grad(model, False)


class NewArrays(Right):
    """bcast_data gives parameters new arrays"""

    breaks = "test_one_rank[bcast_data]"

    def bcast_data(self, model):
        for _, param in sorted(model.namedparams()):
            if param.is_initialized:
                param.array = self.bcast(param.array)


class WholeBuckets(Right):
    """what does not fill a bucket is not averaged"""

    breaks = "test_ranks[mean_grad]"

    def mean(self, arrays):
        limit = self.get_config("bucket_bytes")
        short = limit == 40 and sum(x.nbytes for x in arrays) < limit
        return [x.copy() for x in arrays] if short else super().mean(arrays)


class OneRankKnows(Right):
    """when ranks disagree, only one of them learns of it"""

    breaks = "test_ranks[different_shapes]"

    def _exchange(self, what, detail, given):
        try:
            return super()._exchange(what, detail, given)
        except MismatchError:
            if self.rank == 0:
                raise
            return [given] * self.size


class Widens(Right):
    """arrays of different dtypes are added up in the wider one"""

    breaks = "test_ranks[different_dtypes]"

    def _exchange(self, what, detail, given):
        return super()._exchange(what, detail[0] if what == "allreduce" else detail, given)


class RootsOfItsOwn(Right):
    """each rank follows the root that it has named"""

    breaks = "test_ranks[different_roots]"

    def _exchange(self, what, detail, given):
        return super()._exchange(what, None if what == "gather" else detail, given)


class AnythingMeets(Right):
    """a barrier on one rank meets a gathering of objects on another"""

    breaks = "test_ranks[different_collectives]"

    def barrier(self):
        self.allgather_obj(0)


class Unseen(Right):
    """bcast_data begins without a look at the models"""

    breaks = "test_ranks[different_models]"

    def bcast_data(self, model):
        for _, param in sorted(model.namedparams()):
            param.array[...] = self.bcast(param.array)


class NoRecovery(Right):
    """it declares fault_tolerant, and cannot recover"""

    breaks = "test_survivors"
    declares = {"fault_tolerant"}


class Careless(Right):
    """when a rank has failed, the others go on as if nothing were"""

    breaks = "test_failing_rank"

    def _exchange(self, what, detail, given):
        try:
            return super()._exchange(what, detail, given)
        except RankFailed:
            return [given] * self.size
