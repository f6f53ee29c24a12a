"""The communicator `resilient_nccl`: NCCL between devices, in a group that continues when ranks die.

- `communicator`: the group itself. `group`: what it shares with the groups that `split` makes from it.
- `connecting`: NCCL's communicator for a changed group: kept, shrunk, grown, or new.

The hosts decide who is in the group: by TCP (`renga_comm_nccl.tcp.resilient`) or by MPI
(`renga_comm_mpi.resilient`). Devices are connected again when the next device array is sent.
"""
