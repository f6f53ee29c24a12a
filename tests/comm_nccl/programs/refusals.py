"""What is refused, on every rank alike, and what the message says. The first argument says which."""

import sys

import numpy as np
import pytest

from renga.distributed import create_communicator
from renga_core.backend import get_device
from renga_core.communicator import MismatchError

comm = create_communicator("pure_nccl")
x = np.zeros(3, np.float32)


def refused(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert all(word in str(caught.value) for word in words), caught.value


if sys.argv[1] == "one device":
    send = get_device("cupy:0").send
    refused(ValueError, ["ranks 0, 1 use one device", "communicator.intra_rank"], lambda: comm.allreduce(send(x)))
else:
    send = get_device(f"cupy:{comm.intra_rank}").send
    comm.allreduce(send(x))
    elsewhere = get_device(f"cupy:{comm.intra_rank + comm.size}").send(x)
    refused(ValueError, ["was given an array on", f"cupy:{comm.intra_rank}"], lambda: comm.allreduce(elsewhere))
    refused(TypeError, ["on the host and on a device"], lambda: comm.alltoall([x, send(x)]))
    mixed = x if comm.rank else send(x)
    refused(MismatchError, ["allreduce", "on a device"], lambda: comm.allreduce(mixed))
    other = (lambda: comm.mean([send(x)])) if comm.rank else (lambda: comm.allreduce(send(x)))
    refused(MismatchError, ["mean", "allreduce"], other)
    refused(ValueError, ["'ordered', 'nccl'"], lambda: comm.set_config("sums", "fast"))
    found = comm.bcast(send(x + 5) if comm.rank == 0 else x, root=0)
    assert isinstance(found, np.ndarray) == bool(comm.rank), "what rank 0 sends arrives where each rank's argument is"
    assert float(found[0]) == 5.0
comm.finalize()
print("refused", flush=True)
