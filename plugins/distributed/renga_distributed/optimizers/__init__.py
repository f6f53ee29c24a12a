"""Optimizers of training by several processes.

- `multi_node`: `create_multi_node_optimizer`, and the optimizer it returns.
- `parameters`: the same parameters on all ranks, from the first update on.
- `batches`: how much each batch counts, when several make one update, or ranks have different numbers of examples.
- `exchange`: how gradients become means over all ranks: after backward (this module), while backward still runs
  (`overlap`), or while the next batch is computed (`double_buffering`).
- `communicating_losses`: losses that send messages to ranks of other groups, which are not to be computed twice.
- `sharding`: each rank updates a share of each parameter, and keeps the state of that share only.
"""

from renga_distributed.optimizers.multi_node import MultiNodeOptimizer, create_multi_node_optimizer

__all__ = ["MultiNodeOptimizer", "create_multi_node_optimizer"]
