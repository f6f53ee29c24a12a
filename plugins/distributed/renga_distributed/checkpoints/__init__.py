"""Saving the state of a run of several processes, and going on from it.

- `create`: `create_multi_node_checkpointer`, and what checkpoints promise.
- `checkpointer`: `MultiNodeCheckpointer`, the extension, which saves and loads.
- `generation`: what is in the files of a generation, one for each rank, and their checksums.
- `world_size_change`: what becomes of the state when another number of processes goes on.
- `errors`: `CheckpointError`.

Files are found, written and removed by `renga_training.snapshots`.
"""

from renga_distributed.checkpoints.checkpointer import MultiNodeCheckpointer
from renga_distributed.checkpoints.create import create_multi_node_checkpointer
from renga_distributed.checkpoints.errors import CheckpointError

__all__ = ["CheckpointError", "MultiNodeCheckpointer", "create_multi_node_checkpointer"]
