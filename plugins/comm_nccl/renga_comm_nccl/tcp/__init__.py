"""Ranks without MPI: processes of this machine or of several, whose hosts talk to each other by sockets.

- `address`: the variables that tell a process its rank and where the store is. `connecting`: reaching it.
- `store`: the one process through which all messages go. `communicator`: what ranks call.
- `launching`: starts the ranks of one machine.
"""
