"""Communicators between devices, on NCCL.

- `library`, `calls`: libnccl and its functions. `handle`: one NCCL communicator.
- `stream`: the communication stream of this process. `sums`: sums and means on the device.
- `hosts`: communication between the hosts; `tcp`: the same without MPI. `messages`: messages between two ranks.
  `placing`, `devices`: where arrays are, and the check that each rank has its own device.
- `base`: collectives that all communicators share; `point_to_point`: between two ranks; `on_hosts`: collectives of the
  hosts. `pure`: NCCL between all ranks; `across_machines`: NCCL inside a machine.
- `resilient`: `resilient_nccl`, which continues when ranks die.
- `watchdog`: failures and timeouts. `doctor`, `probing`: checks of `renga doctor`.
- `plugin`: what this package registers.

Nothing is imported here, so that reading the plugin's description is cheap.
"""
