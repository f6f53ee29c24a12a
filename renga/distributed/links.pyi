# Written by `renga stubs`: the names of a lazy module, and where each comes from.

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
