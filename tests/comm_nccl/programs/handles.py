"""What NCCL can do beside collectives: split, revoke and shrink without a rank, grow again, abort."""

import cupy
import numpy as np
import pytest

from renga.distributed import create_communicator
from renga_comm_nccl import watchdog
from renga_comm_nccl.calls import DTYPES, SUM
from renga_comm_nccl.handle import Handle
from renga_core.backend import get_device
from renga_core.communicator import RankFailed


def total(handle, value):
    x = cupy.asarray(np.full(3, value, np.float32))
    stream = cupy.cuda.get_current_stream()
    handle.all_reduce(x.data.ptr, x.data.ptr, 3, DTYPES["float32"], SUM, stream.ptr)
    return float(x.get()[0])


comm = create_communicator("pure_nccl")
rank, size = comm.rank, comm.size
device = get_device(f"cupy:{comm.intra_rank}")
with device.use():
    comm.allreduce(device.send(np.zeros(3, np.float32)))
    first = comm.nccl_handle
    group = comm.split(rank % 2, -rank)
    assert group.nccl_handle is not None, "made by ncclCommSplit"
    members = [other for other in range(size) if other % 2 == rank % 2]
    assert float(group.allreduce(device.send(np.full(3, rank, np.float32)))[0]) == sum(members)
    group.finalize()

    watchdog.forget(first)  # it would end the process
    if rank != size - 1:  # the last one has failed
        first.revoke()
        smaller = first.shrink([size - 1])
        assert total(smaller, rank + 1) == sum(range(1, size))
        growth_id = smaller.growth_id() if smaller.rank == 0 else None
        if rank == 0:
            comm.send_obj(growth_id, size - 1)
        larger = smaller.grow(size, growth_id)
        smaller.close()
    else:
        first.abort("this rank has failed, as the test says")
        larger = Handle.join(first.nccl, comm.recv_obj(0), size - 1, size)
    assert total(larger, rank + 1) == size * (size + 1) / 2
    larger.close()
    first.abort("it is of no use any more")
    with pytest.raises(RankFailed, match=r"it is of no use any more|as the test says"):
        comm.allreduce(device.send(np.zeros(3, np.float32)))
comm.barrier()
print("grown", flush=True)
