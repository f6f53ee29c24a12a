"""Saving and resuming a run of several processes.

- `create`: `create_multi_node_checkpointer`, which documents the checkpoints.
- `checkpointer`: `MultiNodeCheckpointer`, the extension, which saves and loads.
- `generation`: the content of a generation's files, one per rank, and their checksums.
- `world_size_change`: resuming with another number of processes.
- `errors`: `CheckpointError`.

`renga_training.snapshots` finds, writes and removes files.
"""

from renga_distributed.checkpoints.checkpointer import MultiNodeCheckpointer
from renga_distributed.checkpoints.create import create_multi_node_checkpointer
from renga_distributed.checkpoints.errors import CheckpointError

__all__ = ["CheckpointError", "MultiNodeCheckpointer", "create_multi_node_checkpointer"]
