# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_distributed.links import MultiNodeBatchNormalization as MultiNodeBatchNormalization
from renga_distributed.links import MultiNodeChainList as MultiNodeChainList
from renga_distributed.links import create_mnbn_model as create_mnbn_model
from renga_distributed.links import create_multi_node_n_step_rnn as create_multi_node_n_step_rnn

__all__ = [
    "MultiNodeBatchNormalization",
    "MultiNodeChainList",
    "create_mnbn_model",
    "create_multi_node_n_step_rnn",
]
