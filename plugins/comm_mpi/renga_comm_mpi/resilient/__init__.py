"""The communicator `resilient`: a group on MPI that goes on when ranks die.

It needs MPI's user-level failure mitigation (ULFM), which Open MPI has from version 5 on, and processes that
``renga launch --fault-tolerant`` has started.

- `told`: what the launcher has told its processes, and how they tell it how they have ended.
- `launching`: what the launcher does for such a job.
- `members`: who takes which place when ranks have died; no MPI in it.
- `places`: how many places there are, where that may change; no MPI in it.
- `family`: the MPI communicators of a group, which are voted on, revoked and ended together.
- `membership`: all processes of the job, and how they agree on who is in the group.
- `group`: what the group and those that `split` makes of it have in common.
- `communicator`: the group itself.

All processes of the job, spares too, are in one MPI communicator, the root. When a rank has died, the survivors revoke
the root, which wakes the spares. All shrink it, tell each other who they are, and make the group anew, with all that
was derived from it. After each step they vote, so that all start again when somebody dies meanwhile.
"""
