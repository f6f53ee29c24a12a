"""Collectives in a CUDA graph: what is captured is done at each launch, with the numbers that are there then."""

import cupy
import numpy as np

from renga.distributed import create_communicator
from renga_core.backend import get_device, to_host

comm = create_communicator("pure_nccl")
comm.set_config("sums", "nccl")
device = get_device(f"cupy:{comm.intra_rank}")
device.backend.use_device(device.index).__enter__()
x = device.send(np.arange(5, dtype=np.float32))
comm.allreduce(x)  # connects, outside of the graph
stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    stream.begin_capture()
    total = comm.allreduce(x)
    again = comm.allreduce(total)
    spread = comm.alltoall([again] * comm.size)
    graph = stream.end_capture()
    for step in range(1, 4):
        x[...] = np.full(5, step * (comm.rank + 1), np.float32)
        graph.launch(stream)
        right = step * comm.size * (comm.size + 1) / 2
        assert (to_host(total) == right).all(), (step, to_host(total))
        assert (to_host(again) == comm.size * right).all(), (step, to_host(again))
        assert all((to_host(one) == comm.size * right).all() for one in spread)
comm.barrier()
comm.finalize()
print("captured", flush=True)
