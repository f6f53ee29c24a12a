"""Links that communicate.

- `batch_normalization`: `MultiNodeBatchNormalization`, by the statistics of all ranks' batches, and
  `create_mnbn_model`, which puts it in place of a model's own.
- `multi_node_chain_list`: `MultiNodeChainList`, a model of which the parts are on several ranks.
- `n_step_rnn`: `create_multi_node_n_step_rnn`, for sequences of which each rank has a piece.
"""

from renga_distributed.links.batch_normalization import MultiNodeBatchNormalization, create_mnbn_model
from renga_distributed.links.multi_node_chain_list import MultiNodeChainList
from renga_distributed.links.n_step_rnn import create_multi_node_n_step_rnn

__all__ = [
    "MultiNodeBatchNormalization",
    "MultiNodeChainList",
    "create_mnbn_model",
    "create_multi_node_n_step_rnn",
]
