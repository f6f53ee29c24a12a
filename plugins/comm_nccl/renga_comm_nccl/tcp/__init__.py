"""Ranks without MPI: processes of one or several machines, whose hosts communicate by sockets.

- `address`: environment variables with rank and store address. `connecting`: connects to the store.
- `store`: the process that all messages pass through. `communicator`: the communicator of a rank.
- `launching`: starts the ranks of one machine.
"""
