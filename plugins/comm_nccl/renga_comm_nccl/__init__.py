"""Communicators between devices, on NCCL.

- `library`, `calls`: libnccl and its functions. `handle`: one NCCL communicator.
- `stream`: the one queue of this process's communication. `sums`: sums and means on the device.
- `hosts`: how the hosts of ranks talk; `tcp`: without MPI. `messages`: from one rank to another. `placing`, `devices`:
  where arrays are, and that each rank has a device of its own.
- `base`: collectives that communicators have in common; `point_to_point`: one rank to another; `on_hosts`: what the
  hosts do. `pure`: NCCL between all ranks; `across_machines`: NCCL inside a machine.
- `watchdog`: failures and time-outs. `doctor`, `probing`: what `renga doctor` says.
- `plugin`: what this package provides, for the plugin manager.

Nothing is imported here: who asks for the plugin's description pays for nothing else.
"""
