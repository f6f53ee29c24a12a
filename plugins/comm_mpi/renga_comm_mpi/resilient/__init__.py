"""The communicator `resilient`: a group on MPI that goes on when ranks die.

It needs MPI's user-level failure mitigation (ULFM), which Open MPI has from version 5 on, and processes that
``renga launch --fault-tolerant`` has started.

- `told`: what the launcher has told its processes, and how they tell it how they have ended.
- `launching`: what the launcher does for such a job.
- `members`: who takes which place when ranks have died; no MPI in it.
- `places`: how many places there are, where that may change; no MPI in it.
- `family`: the MPI communicators of a group, which are voted on, revoked and ended together.
- `exchange`: messages with a checksum, by which all tell each other who they are.
- `plan`: a new group that may not come to be.
- `membership`: all processes of the job, and how they agree on who is in the group.
- `start`, `awakening`, `dormant`, `attendant`: processes that wait without the program, and how they start it.
- `backoff`: how long they wait before that when those before them have died at once; no MPI in it.
- `group`: what the group and those that `split` makes of it have in common.
- `communicator`: the group itself.

All processes of the job, also those that wait, are in one MPI communicator, the root. When a rank has died, survivors
revoke the root, which wakes those. All shrink it, tell each other who they are, and make the group anew, with all that
was derived from it. After each step they vote, so that all start again when somebody dies meanwhile.
"""
