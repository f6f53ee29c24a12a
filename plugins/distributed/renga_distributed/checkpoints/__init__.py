"""Saving the state of a run of several processes, and going on from it.

- `checkpointer`: `create_multi_node_checkpointer`, the extension, and what it promises.
- `parts`: the files of a generation, one for each rank: their names, their checksums, what of a rank goes into which.
- `carrying`: what becomes of the state when another number of processes goes on.
- `errors`: `CheckpointError`.
"""

from renga_distributed.checkpoints.checkpointer import MultiNodeCheckpointer, create_multi_node_checkpointer
from renga_distributed.checkpoints.errors import CheckpointError
from renga_distributed.checkpoints.parts import Names

__all__ = ["CheckpointError", "MultiNodeCheckpointer", "Names", "create_multi_node_checkpointer"]
