"""Communicators between processes, on MPI.

- `failures`: a rank that fails ends all. `watchdog`: ranks for which others wait too long are named.
- `launching`: starting ranks, for `renga launch`. `checkup`: trying MPI, for `renga doctor`.
- `testing`: real ranks for tests, started once; `testing_worker` is one of them.
- `plugin`: what this package provides, for the plugin manager.

Nothing is imported here: who asks for the plugin's description pays for nothing else.
"""
