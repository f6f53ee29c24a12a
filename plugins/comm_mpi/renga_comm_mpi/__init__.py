"""Communicators between processes, on MPI.

- `failures`: a rank that fails ends all. `watchdog`: ranks for which others wait too long are named.
- `launching`: starting ranks, and `job`: stopping them, for `renga launch`. `launcher_watchdog`: ends a job that hangs,
  from outside.
- `connection_timeout`: ends a rank that MPI does not connect in time. `self_test`: trying MPI, for `renga doctor`.
- `testing`: real ranks for tests, started once; `testing_worker` is one of them.
- `plugin`: what this package provides, for the plugin manager.
- `base`: what communicators have in common; `naive_and_flat`: those that treat all ranks alike; `across_nodes`: those
  that know which ranks share a machine.
- `sums`: sums in the order of ranks, by messages; `node_sum`: through memory that ranks share (`shared_memory`);
  `conversion`: numbers of 16 bits.
- `mpi`: MPI itself; `calls`: how it is called, and patience; `point_to_point`: messages from rank to rank; `agreement`:
  that all ranks call the same; `nodes`: who shares a machine; `probing`: whether there is an MPI.

Nothing is imported here: who asks for the plugin's description pays for nothing else.
"""
