"""Optimizers for training with several processes.

- `create`: `create_multi_node_optimizer`; `multi_node`: the optimizer that it returns.
- `parameters`: gives all ranks the same parameters before the first update.
- `batches`: weights of batches, if several make one update, or ranks have different numbers of examples.
- `exchange`: averages gradients over all ranks: after backward (this module), during backward (`overlap`), or while the
  next batch is computed (`double_buffering`).
- `communicating_losses`: losses that send messages to other groups, which must not be computed twice.
- `sharding`: each rank updates a share of each parameter, and keeps only its state.
- `private`: state of a single rank, for `renga_distributed.recovery`: shares, and `accumulated` gradients.
"""

from renga_distributed.optimizers.create import create_multi_node_optimizer
from renga_distributed.optimizers.multi_node import MultiNodeOptimizer

__all__ = ["MultiNodeOptimizer", "create_multi_node_optimizer"]
