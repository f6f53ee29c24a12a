"""The communicator `resilient`: a group on MPI that continues when ranks die.

It needs MPI's user-level failure mitigation (ULFM), which Open MPI has from version 5 on, and processes that
``renga launch --fault-tolerant`` has started.

- `told`: settings from the launcher to its processes, and their status back to it.
- `launching`: the launcher's part.
- `family`: the MPI communicators of a group, which are voted on, revoked and ended together.
- `exchange`: messages with a checksum, by which processes identify themselves.
- `plan`: a new group that may still fail.
- `membership`: all processes of the job, and how they agree on who is in the group.
- `start`, `awakening`, `dormant`, `attendant`: processes that wait without the program, and how they start it.
- `backoff`: delays their start if earlier ones died at once; without MPI.
- `group`: the base class of the group and of its parts from `split`.
- `communicator`: the group itself.

Who takes which place is decided by `renga_comm_base.members`, and groups made by `split` are made again by
`renga_comm_base.derived`, as for other resilient communicators.

All processes of the job, also waiting ones, are in one MPI communicator, the root. When a rank has died, survivors
revoke the root, which wakes the waiting processes. All shrink it, identify themselves, and create the group and its
parts again. After each step they vote, so that all restart if another rank dies.
"""
