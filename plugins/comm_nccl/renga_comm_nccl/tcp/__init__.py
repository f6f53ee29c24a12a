"""Ranks without MPI: processes of one or several machines, whose hosts communicate by sockets.

- `address`: environment variables with rank and store address. `connecting`: connects to the store.
- `store`: the process that all messages pass through. `groups`: the groups of ranks in it. `handshake`: accepts
  connections.
- `communicator`: the communicator of a rank. `arrays`: arrays in messages.
- `launching`: starts the ranks of one machine.
- `resilient`: groups that continue when ranks die.
"""
