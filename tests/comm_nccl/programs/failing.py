"""``failing_program.py STEPS``: every kind of collective, again and again, where something fails on the way.

RENGA_TEST_STOP is ``RANK:STEP``: that rank is stopped there, as by a debugger.
"""

import os
import signal
import sys

import numpy as np

from renga.distributed import create_communicator
from renga_core.backend import get_device, to_host

steps = int(sys.argv[1])
rank_to_stop, step_to_stop = (int(word) for word in os.environ.get("RENGA_TEST_STOP", "-1:-1").split(":"))
comm = create_communicator("pure_nccl")
device = get_device(f"cupy:{comm.intra_rank}")
x = device.send(np.arange(20000, dtype=np.float32) + comm.rank)
total = comm.size * np.arange(20000) + comm.size * (comm.size - 1) // 2
for step in range(steps):
    if (comm.rank, step) == (rank_to_stop, step_to_stop):
        os.kill(os.getpid(), signal.SIGSTOP)
    assert (to_host(comm.allreduce(x)) == total).all()
    requests = [comm.imean([x[: 100 * (i + 1)]]) for i in range(3)]
    comm.bcast(x, root=step % comm.size)
    if comm.rank == 0:
        comm.send(x, comm.size - 1, 0)
    if comm.rank == comm.size - 1:
        assert float(to_host(comm.recv(0, 0))[1]) == 1.0
    comm.alltoall([x] * comm.size)
    for request in requests:
        assert np.allclose(to_host(request.wait()[0]), total[: request.wait()[0].size] / comm.size)
    comm.set_config("allreduce_grad_dtype", "float16")
    comm.mean([x])
    comm.set_config("allreduce_grad_dtype", None)
    to_host(comm.reduce_scatter(x))
comm.finalize()
print(f"rank {comm.rank} has come to the end", flush=True)
