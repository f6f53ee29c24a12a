"""Links that communicate.

- `batch_normalization`: `MultiNodeBatchNormalization`, with statistics over the batches of all ranks, and
  `create_mnbn_model`, which replaces a model's batch normalization by it.
- `multi_node_chain_list`: `MultiNodeChainList`, a model whose parts are on several ranks.
- `n_step_rnn`: `create_multi_node_n_step_rnn`, for sequences divided among ranks.
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
