"""Rank 1 raises an error, and its process takes long to end; rank 0 fails because of it, and ends earlier."""

import atexit
import time

from renga.distributed import create_communicator

atexit.register(time.sleep, 0.3)  # runs after the communicator has left
communicator = create_communicator("tcp")
if communicator.rank == 1:
    raise ValueError("mine")
atexit.unregister(time.sleep)
communicator.bcast_obj(None, root=1)
