"""Optimizers of training by several processes.

- `create`: `create_multi_node_optimizer`; `multi_node`: the optimizer it returns.
- `parameters`: the same parameters on all ranks, from the first update on.
- `batches`: how much each batch counts, when several make one update, or ranks have different numbers of examples.
- `exchange`: how gradients become means over all ranks: after backward (this module), while backward still runs
  (`overlap`), or while the next batch is computed (`double_buffering`).
- `communicating_losses`: losses that send messages to ranks of other groups, which are not to be computed twice.
- `sharding`: each rank updates a share of each parameter, and keeps the state of that share only.
- `private`: what each rank holds alone, for `renga_distributed.recovery`: shares, and `accumulated` gradients.
"""

from renga_distributed.optimizers.create import create_multi_node_optimizer
from renga_distributed.optimizers.multi_node import MultiNodeOptimizer

__all__ = ["MultiNodeOptimizer", "create_multi_node_optimizer"]
