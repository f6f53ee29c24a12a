"""A group on TCP that continues when ranks die. The launcher's process decides who is in it.

- `job`: the launcher's part: all processes, and who is in the group. It runs in the thread of the store.
- `launching`: starts processes, and replaces those that die.
- `told`: settings from the launcher to its processes, and the answers of the store.
- `membership`: a process's connection to the job. `communicator`: the group.

One process decides, so a group cannot split into two: a process that has lost its connection to the store ends.
"""
