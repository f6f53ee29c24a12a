"""Communicators between processes, on MPI.

- `failures`: a failing rank ends all. `watchdog`: names ranks for which others wait too long.
- `launching` starts ranks, and `job` stops them, for `renga launch`. `launcher_watchdog` ends a job that hangs, from
  outside.
- `connection_timeout`: ends a rank if MPI does not connect it in time. `self_test`: tests MPI, for `renga doctor`.
- `testing`: real ranks for tests, started once; `testing_worker` is one of them.
- `plugin`: what this package provides, for the plugin manager.
- `base`: the base class of communicators; `naive_and_flat`: communicators that treat all ranks alike; `across_nodes`:
  communicators that know which ranks share a machine.
- `sums`: sums in the order of ranks, by messages; `node_sum`: through memory that ranks share (`shared_memory`);
  `conversion`: numbers of 16 bits.
- `mpi`: MPI itself; `calls`: calls of MPI, and patient waiting; `point_to_point`: messages from rank to rank;
  `agreement`: checks that all ranks make the same call; `nodes`: ranks by machine; `probing`: whether MPI is installed.

Nothing is imported here, so that reading the plugin's description stays cheap.
"""
