"""Requests that nobody waits for, and whose arrays the program forgets: their memory is not used again too early."""

import gc

import numpy as np

from renga.distributed import create_communicator
from renga_core.backend import get_device, to_host

comm = create_communicator("pure_nccl")
device = get_device(f"cupy:{comm.intra_rank}")
kept = []
for step in range(60):
    arrays = [device.send(np.full(3000, step + comm.rank, np.float32))]  # alone, it is not copied into a bucket
    request = comm.imean(arrays)
    if step % 3:
        kept.append((step, request))
    del arrays, request
    gc.collect()
    device.send(np.full(3000, np.nan, np.float32))  # takes memory that was freed
for step, request in kept:
    for mean in request.wait():
        found = to_host(mean)
        assert (found == np.float32(step + (comm.size - 1) / 2)).all(), (step, found)
comm.finalize()
print("right", flush=True)
